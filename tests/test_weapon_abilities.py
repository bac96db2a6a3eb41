import pytest

from pipeline import weapon_abilities
from pipeline.weapon_abilities import PrintedAbility, parse


@pytest.mark.parametrize(
    ("printed", "canonical", "expected"),
    [
        ("rapid fire 6", "RAPID FIRE 6", PrintedAbility("RAPID FIRE", "6")),
        ("RAPID FIRE d6 + 3", "RAPID FIRE D6+3", PrintedAbility("RAPID FIRE", "D6+3")),
        ("ANTI-INFANTRY 4+", "ANTI-INFANTRY 4+", PrintedAbility("ANTI", "4+", "INFANTRY")),
        ("Anti‑Epic Hero 2+", "ANTI-EPIC HERO 2+", PrintedAbility("ANTI", "2+", "EPIC HERO")),
        (
            "anti-non-MONSTER/VEHICLE 3+",
            "ANTI-non-MONSTER/VEHICLE 3+",
            PrintedAbility("ANTI", "3+", "non-MONSTER/VEHICLE"),
        ),
        ("sustained hits d3", "SUSTAINED HITS D3", PrintedAbility("SUSTAINED HITS", "D3")),
        ("[Sustained Hits 1]", "SUSTAINED HITS 1", PrintedAbility("SUSTAINED HITS", "1")),
        ("CLEAVE 1", "CLEAVE 1", PrintedAbility("CLEAVE", "1")),
        ("melta 2", "MELTA 2", PrintedAbility("MELTA", "2")),
        ("Twin-linked", "TWIN-LINKED", PrintedAbility("TWIN-LINKED")),
        ("Close‑Quarters", "CLOSE-QUARTERS", PrintedAbility("CLOSE-QUARTERS")),
        ("blast", "BLAST", PrintedAbility("BLAST")),
        ("BLAST 2", "BLAST 2", PrintedAbility("BLAST", "2")),
        ("pISTOl", "PISTOL", PrintedAbility("PISTOL")),
        ("ignores   cover ", "IGNORES COVER", PrintedAbility("IGNORES COVER")),
        (
            "LETHAL HITS: non-MONSTER/VEHICLE",
            "LETHAL HITS: non-MONSTER/VEHICLE",
            PrintedAbility("LETHAL HITS", condition="non-MONSTER/VEHICLE"),
        ),
        (
            "devastating wounds: infantry",
            "DEVASTATING WOUNDS: INFANTRY",
            PrintedAbility("DEVASTATING WOUNDS", condition="INFANTRY"),
        ),
        ("HUNTER: VEHICLE", "HUNTER: VEHICLE", PrintedAbility("HUNTER", condition="VEHICLE")),
        ("sustained hits", "SUSTAINED HITS", PrintedAbility("SUSTAINED HITS", value_missing=True)),
        ("anti-infantry", "ANTI-INFANTRY", PrintedAbility("ANTI", target="INFANTRY", value_missing=True)),
    ],
)
def test_an_ability(printed: str, canonical: str, expected: PrintedAbility) -> None:
    found = parse(printed)
    assert found == expected
    assert found.canonical == canonical
    assert parse(canonical) == expected


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "harpooned",
        "anti",
        "pistol 2",
        "melta 3+",
        "anti-fly 7+",
        "anti-fly lethal hits",
        "anti-fly lance anti-walker 2+",
        "blast torrent",
        "ember pistol",
        "psychic: ",
        "lances",
    ],
)
def test_what_is_no_single_ability(printed: str) -> None:
    assert parse(printed) is None


def test_sections() -> None:
    assert {"LANCE", "EXTRA ATTACKS", "CLEAVE"} <= weapon_abilities.names_in("melee")
    assert not weapon_abilities.names_in("melee") & {
        "PISTOL", "ASSAULT", "HEAVY", "BLAST", "TORRENT", "MELTA", "RAPID FIRE"
    }  # fmt: skip
    assert "LANCE" not in weapon_abilities.names_in("ranged")
    assert {"TWIN-LINKED", "ANTI"} <= weapon_abilities.names_in("ranged") & weapon_abilities.names_in("melee")


def test_every_name_of_the_vocabulary_is_read_back() -> None:
    for entry in weapon_abilities.entries().values():
        text = entry.name + ("-INFANTRY" if entry.target else "")
        if entry.value == "required":
            text += {"roll": " 3+", "dice": " 2"}[str(entry.form)]
        found = parse(text)
        assert found is not None
        assert (found.ability, found.canonical) == (entry.name, text)
