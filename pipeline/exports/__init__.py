"""Structured exports: one module per export, bytes → records. Columns and fields have names: nothing is guessed."""
