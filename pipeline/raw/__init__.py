"""Raw files: found wherever they lie, named the same on every machine, read one at a time, none lost in silence.

In: paths of files and folders. Out: references, which a worker loads, decodes and recognises:

    files = RawFiles(["raw/demo"])
    for reference in files:                     # small and picklable, in one order everywhere
        raw = load(reference)                   # in the worker; a Diagnostic where the bytes cannot be had
        decoded = decode(raw.data, raw.hints.charset, raw.document_id)
        kind = recognise(raw, decoded.text)     # `html`, `text`, …; or why it is no page
    files.diagnostics                           # what was refused before it became a reference

Any bytes, any size and any nesting end in a reference or a diagnostic: nothing here raises, writes into a folder or
asks the network.

- `references` the types, limits and names        - `finding` folders, side-cars, manifests → references
- `archives` one archive file → references        - `containers` what lies in archives: `file_archives`, `page_archives`
- `streams` what containers share, limits         - `loading` reference → bytes
- `sidecars` metadata beside a page               - `decoding` bytes → text
- `recognising` text → format                     - `captures` which of several copies of a page is read
"""

from pipeline.raw.captures import read_once
from pipeline.raw.decoding import Decoded, decode
from pipeline.raw.finding import RawFiles
from pipeline.raw.loading import load
from pipeline.raw.recognising import Recognised, recognise
from pipeline.raw.references import LIMITS, Hints, Limits, RawFile, RawReference, by_folder

__all__ = [
    "LIMITS",
    "Decoded",
    "Hints",
    "Limits",
    "RawFile",
    "RawFiles",
    "RawReference",
    "Recognised",
    "by_folder",
    "decode",
    "load",
    "read_once",
    "recognise",
]
