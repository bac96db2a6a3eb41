"""Structured exports: one module per export, bytes → records. Columns and fields have names, so nothing here is guessed."""
