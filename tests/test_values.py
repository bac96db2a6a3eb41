import ast
from pathlib import Path

import pytest

from pipeline import values


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("D6+1", ("D6+1", 2, 7, 4.5)),
        ("D6", ("D6", 1, 6, 3.5)),
        ("2D6", ("2D6", 2, 12, 7.0)),
        ("D3+3", ("D3+3", 4, 6, 5.0)),
        ("d6 + 3", ("D6+3", 4, 9, 6.5)),
        ("d6+3", ("D6+3", 4, 9, 6.5)),
        ("1d6", ("D6", 1, 6, 3.5)),
        ("D6 ", ("D6", 1, 6, 3.5)),
        ("3D3", ("3D3", 3, 9, 6.0)),
        ("3", ("3", 3, 3, 3.0)),
        ("D3", ("D3", 1, 3, 2.0)),
        ("0", ("0", 0, 0, 0.0)),
        ("*", None),
        ("-", None),
        ("–", None),
        ("N/A", None),
        ("", None),
        ("D8", None),
        ("0D6", None),
        ("D6-1", None),
        ("3+", None),
        ("D", None),
        ("0.0", None),
    ],
)
def test_dice(printed: str, expected: tuple[str, int, int, float] | None) -> None:
    assert values.dice(printed) == expected


def test_a_number_and_a_die_of_that_number_are_kept_apart() -> None:
    assert values.dice("3") != values.dice("D3")
    assert values.dice("6") != values.dice("D6")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("3+", 3), ("3", 3), (" 2+ ", 2), ("N/A", None), ("-", None), ("", None), ("+3", None), ("3.0", None)],
)
def test_skill(printed: str, expected: int | None) -> None:
    assert values.skill(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("-1", -1),
        ("−1", -1),
        ("–1", -1),
        ("- 1", -1),
        ("-0", 0),
        ("0", 0),
        ("-", None),
        ("–", None),
        ("", None),
        ("1", 1),
        ("-1+", None),
    ],
)
def test_armour_penetration(printed: str, expected: int | None) -> None:
    assert values.armour_penetration(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('24"', 24),
        ("24″", 24),
        ("24''", 24),
        ("24′′", 24),
        ("24”", 24),
        ("24", 24),
        ('24 "', 24),
        ('20+"', 20),
        ("5", 5),
        ("Melee", None),
        ("N/A", None),
        ("-", None),
        ('+3"', None),
        ('3.5"', None),
    ],
)
def test_inches(printed: str, expected: int | None) -> None:
    assert values.inches(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("4+", 4), ("4", 4), ("4*", 4), ("4+*", 4), ("0", 0), ("-", None), ("+1", None), ("*", None)],
)
def test_characteristic(printed: str, expected: int | None) -> None:
    assert values.characteristic(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("75", 75), (" 75 ", 75), ("0", 0), ("+55", None), ("75 pts", None), ("", None), ("YOUR UNIT COSTS", None)],
)
def test_points(printed: str, expected: int | None) -> None:
    assert values.points(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("4-9 Rough Riders", (4, 9, "Rough Riders")),
        ("3‑10 Brindle Infiltrators", (3, 10, "Brindle Infiltrators")),
        ("1 Warden", (1, 1, "Warden")),
        ("0-1 Ash Ancient", (0, 1, "Ash Ancient")),
        ("5-10  Ash Guard", (5, 10, "Ash Guard")),
        ("1-2 XV9 Walkers", (1, 2, "XV9 Walkers")),
        ("1 X‑4 Walker", (1, 1, "X‑4 Walker")),
        ("1 4‑X Walker", (1, 1, "4‑X Walker")),
        ("5-10 models", (5, 10, "models")),
        ("9-4 Rough Riders", None),
        ("Ash Guard", None),
        ("OR", None),
        ("4", None),
        ("", None),
    ],
)
def test_models_range(printed: str, expected: tuple[int, int, str] | None) -> None:
    assert values.models_range(printed) == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Deadly Demise D6+3 (Ash Prince model only)", ("Deadly Demise", "D6+3", "Ash Prince model only")),
        ('Scouts 8"', ("Scouts", '8"', None)),
        ("Stealth (Ash Prince only)", ("Stealth (Ash Prince only)", None, None)),
        ("Wrath of the Deep (Psychic)", ("Wrath of the Deep (Psychic)", None, None)),
        ("(Aura)", ("(Aura)", None, None)),
        ("", ("", None, None)),
    ],
)
def test_value_and_remark(printed: str, expected: tuple[str, str | None, str | None]) -> None:
    assert values.with_value_and_remark(printed) == expected


@pytest.mark.parametrize("printed", ["", " ", "-", "–", "−", "N/A", "n/a", "*"])
def test_absent_cells(printed: str) -> None:
    assert values.is_absent(printed)


@pytest.mark.parametrize("printed", ["0", "Melee", "3+", "nan", "x"])
def test_cells_that_print_something(printed: str) -> None:
    assert not values.is_absent(printed)


@pytest.mark.parametrize("digits", ["٣", "\uff13", "³", "③", "Ⅲ"])
def test_only_the_digits_of_a_page_are_digits(digits: str) -> None:
    """`int` takes the digits of every script; no page prints them, and a cell that holds them is damaged."""
    read: list[object] = [
        values.dice(digits),
        values.dice(f"D6+{digits}"),
        values.points(digits),
        values.inches(f'{digits}"'),
        values.skill(f"{digits}+"),
        values.armour_penetration(f"-{digits}"),
        values.characteristic(digits),
        values.models_range(f"{digits} Ash Guard"),
    ]
    assert read == [None] * len(read)


def test_no_pattern_takes_digits_of_other_scripts() -> None:
    """A class of digits matches `٣` and `int` reads it as 3: a damaged character would become a value that looks right."""
    constants = [
        (path, node.value)
        for path in sorted(Path(values.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [(path.name, text) for path, text in constants if r"\d" in text.replace(r"[^\W\d_]", "")] == []
