"""What speed is measured with: invented dumps of a whole game's size, and what reading them costs beside a floor.

    generate.py    dumps from a seed, with the shapes of real ones and no text of them (prose.py invents the text)
    floor.py       the least that could be done with them: decode, split into lines, one twenty-way alternation a line
    extraction.py  what one core needs for extraction, as a ratio to the floor of the same process; memory; claims
    whole.py       what the whole way needs with one and two workers; merge and link

`python -m benchmarks` measures all of it; README.md says how to read the figures.
"""
