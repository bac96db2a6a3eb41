"""Page formats: bytes of one raw file → a `Document` whose blocks tile its text. One module per format."""
