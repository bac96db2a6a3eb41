"""What a page says, as records: one module per kind of record. In: sections of a `Document`. Out: `Sighting`s and claims.

`sections` tells which blocks belong together; the other modules each read sections of their kinds.
"""
