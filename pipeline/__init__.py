"""Datasheets: raw dumps of datasheet and rules pages in, a validated, traceable data set out.

raw/ ─read→ documents ─extract→ records ─merge→ one record per id ─link→ tables ─validate→ Validated ─publish→ output/release/
"""
