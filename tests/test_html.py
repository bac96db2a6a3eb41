"""Saved pages: the shapes of their markup, invented."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.diagnostics import Diagnostic
from pipeline.document import Document, line_starts
from pipeline.extract import Extract, extract
from pipeline.extractors import rule_sections, weapons
from pipeline.readers import html

HEAD = '<html><head><base href="https://example.invalid/wh40k10ed/factions/ash/Hauler"></head><body><div id="wrapper">'
TITLE = '<h1 class="page_header2"><span>Ash Compact</span> <span>– Brindle Hauler</span></h1>'


def page(card: str = "", behind: str = "") -> str:
    return f'{HEAD}{TITLE}<div class="dsOuterFrame datasheet clFl XXYY">{card}</div>{behind}</div></body></html>'


def head(inside: str, banner: str = "") -> str:
    return f'<div class="dsBannerWrap">{banner}<div class="dsH2Header"><div>Brindle Hauler</div>{inside}</div></div>'


def columns(left: str = "", right: str = "") -> str:
    return f'<div class="ds2col"><div class="dsLeft">{left}</div><div class="dsRight">{right}</div></div>'


def section(header: str, *parts: str) -> str:
    return f'<div class="dsHeader">{header}</div>' + "".join(f'<div class="dsAbility">{part}</div>' for part in parts)


def tooltip(inside: str, number: int = 1) -> str:
    return f'<div class="tooltip_templates"><span id="tooltip_content{number}">{inside}</span></div>\n'


def read(text: str) -> Extract:
    return extract(html.read_document(Document("0", "Hauler.html", None, "html", "", 0, text)))


def records(found: Extract, table: str) -> list[Any]:
    return [sighting.record for sighting in found.sightings if sighting.record.table_name() == table]


KEYWORDS = (
    '<div class="ds2colKW"><div>KEYWORDS: <span><span class="kwb">VEHICLE</span>, <span class="kwb">FLY</span></span></div>'
    '<div>FACTION KEYWORDS:<br><span><span class="kwb">ASH</span> <span class="kwb">COMPACT</span></span></div></div>'
)
STATS = "".join(
    f'<div class="dsCharWrap"><div class="dsCharName">{label}</div><div class="dsCharValue">{value}</div></div>'
    for label, value in {"M": '20+"', "T": "9", "Sv": "3+", "W": "13", "Ld": "7+", "OC": "-"}.items()
)


def profile(name: str, base: str, values: str) -> str:
    inside = "".join(f'<div class="dsCharValue">{value}</div>' for value in values.split())
    return (
        f'<div class="dsProfileBaseWrap"><div>{inside}</div><span class="dsModelName">{name}</span>'
        f'<span class="dsModelBase">({base})</span></div>'
    )


def weapon(name: str, *cells: str, long: bool = True) -> str:
    copy = f'<tr class="wTable2_long"><td></td><td>{name}</td></tr>' if long else ""
    values = "".join(f'<td><div class="ct">{cell}</div></td>' for cell in cells)
    return f'<tbody>{copy}<tr><td></td><td class="wTable2_short">{name}</td>{values}</tr></tbody>'


def weapon_table(kind: str, *rows: str) -> str:
    titles = "".join(f'<td><div class="dsHeader">{title}</div></td>' for title in ("RANGE", "A", "BS", "S", "AP", "D"))
    header = (
        f'<tr><td class="dsHeader"></td><td class="wTable_WEAPON"><div class="dsHeader">{kind}</div></td>{titles}</tr>'
    )
    return f'<table class="wTable"><tbody>{header}</tbody>{"".join(rows)}</table>'


def test_blocks_tile_the_visible_text_and_name_their_place() -> None:
    found = html.read(
        page(head("") + columns("", section("ABILITIES", "CORE: <b>Hover</b>")), tooltip("<p>Fog is fog.</p>"))
    )
    assert "".join(found.text[b.start : b.end] for b in found.blocks) == found.text
    assert found.text == "Ash Compact – Brindle Hauler\nBrindle Hauler\nABILITIES\nCORE: Hover\nFog is fog.\n"
    assert [b.place for b in found.blocks if b.place][-1] == "line 1, #tooltip_content1: p"
    assert found.url == "https://example.invalid/wh40k10ed/factions/ash/Hauler"


def test_lines_start_where_the_text_breaks() -> None:
    index = (
        "The <b>FLY</b> keyword is used in the following Ash datasheets:<br><span class='contents'><div class='BatRole'>Other</div>"
        + "".join(f'<a class="contentColor" href="/x">{name}</a><br>' for name in ("Hauler", "Lamp", "Sled"))
        + "</span>"
    )
    document = html.read_document(
        Document("0", "Hauler.html", None, "html", "", 0, page(head(""), tooltip(index) + tooltip("Last.")))
    )
    assert "Hauler\nLamp\nSled\n" in document.text
    assert document.line_starts() == line_starts(document.text)


def test_what_nobody_sees_is_left_out() -> None:
    hidden = (
        '<div class="noprint">Menu</div><script>let x = "Script";</script><div class="page_breaker_ads">Buy</div>'
        '<form>Search</form><div class="social_buttons">Like</div>'
    )
    menu = tooltip('<span class="contents"><div class="armylist_header">Army List</div></span>')
    advert = tooltip('Others sell <b>it</b>:<div class="altModelsA">Nearly a hauler</div>')
    assert html.read(page(head(""), hidden + menu + advert + hidden)).text == html.read(page(head(""))).text


def test_one_of_the_copies_that_a_filter_hides_is_shown() -> None:
    copies = "".join(
        f'<span style="display:none;" class="snFl {code}"><span class="kwb">ASH</span> <span class="kwb">COMPACT</span></span>'
        for code in ("AAAA", "BBBB", "CCCC")
    )
    otherwise = copies.replace(' style="display:none;"', "")
    for written in (copies, otherwise):
        text = html.read(page(behind=tooltip(f'<div class="tooltip_header">Fog</div>One {written} unit.'))).text
        assert text.endswith("Fog\nOne ASH COMPACT unit.\n")


def test_tooltips_are_the_same_cut_out_of_the_file_or_not() -> None:
    inside = tooltip(
        '<div class="tooltip_header">Fog</div><p class="ShowFluff legend2">Grey.</p>Hide.<br><br><ul><li>One</li></ul>'
    )
    cut = html.read(page(behind=inside))
    whole = html.read(page(behind=inside.replace('<div class="tooltip_templates"', "<div class='tooltip_templates'")))
    assert (cut.text, [(p.kind, p.facts) for p in cut.parts]) == (whole.text, [(p.kind, p.facts) for p in whole.parts])


def test_a_tooltip_is_known_again_under_another_name() -> None:
    inside = '<div class="tooltip_header">Fog</div><p>Hide.</p>'
    found = html.read(page(behind=tooltip(inside, 7) + "\n\n" + tooltip(inside, 8)))
    places = [b.place for b in found.blocks if b.text == "Hide."]
    assert places == ["line 1, #tooltip_content7: p", "line 4, #tooltip_content8: p"]
    within = '<div class="tooltip_templates"><span id="a">One</span><span id="b">Two</span></div>'
    assert [b.place for b in html.read(page(behind=within)).blocks[-2:]] == ["line 1, #a: div", "line 1, #b: div"]


def test_a_tooltip_that_does_not_close_takes_nothing_away() -> None:
    text = page(
        behind='<div class="tooltip_templates"><span id="a"><div>Open<table><tr><td>end</span>'
        + tooltip("<p>Next.</p>")
    )
    assert html.read(text).text.endswith("Open\nend\nNext.\n")


def test_nested_lists_keep_their_depth() -> None:
    option = "<ul><li>Replace it with one of the following:<ul><li>1 maul</li><li>1 hook<ul><li>and a chain</li></ul></li></ul></li></ul>"
    found = read(page(head("") + columns(section("WARGEAR OPTIONS") + option) + KEYWORDS))
    (record,) = records(found, "wargear_options")
    assert (record.text, record.choices) == (
        "Replace it with one of the following:",
        ("1 maul", "1 hook", "and a chain"),
    )
    assert (
        "\n- Replace it with one of the following:\n  - 1 maul\n  - 1 hook\n    - and a chain\n"
        in html.read(page(head("") + columns(section("WARGEAR OPTIONS") + option))).text
    )


def test_stat_lines_with_one_profile() -> None:
    banner = f'<div class="dsProfileBaseWrap">{STATS}</div>'
    save = (
        '<div class="dsInvulWrap"><div class="dsCharInvulText">INVULNERABLE SAVE</div><div class="dsCharInvul">'
        '<div class="dsCharInvulValue">5+*</div></div><div class="dsCharInvulNote">* Against ranged attacks.</div></div>'
    )
    source = (
        '<img class="tooltip logo3" title="Faction Pack. Ash Compact (Warhammer Legends) (10th edition, version 1.2)">'
    )
    base = '<span class="dsModelBase2 ShowBaseSize">(⌀120 x 92mm flying base)</span>'
    found = read(page(head(base, source).replace("</div></div>", f"</div>{banner}{save}</div>") + KEYWORDS))
    (model,) = records(found, "models")
    assert (model.name, model.base_size, model.movement_inches, model.movement_inches_printed) == (
        "Brindle Hauler", "120 x 92mm flying base", 20, '20+"',
    )  # fmt: skip
    assert (model.toughness, model.save, model.wounds, model.leadership, model.objective_control) == (9, 3, 13, 7, None)
    assert (model.invulnerable_save, model.invulnerable_save_printed, model.invulnerable_save_text) == (
        5,
        "5+*",
        "* Against ranged attacks.",
    )
    (sheet,) = records(found, "datasheets")
    assert (sheet.is_legends, sheet.base_size) == (True, "120 x 92mm flying base")
    (book,) = records(found, "books")
    assert (book.kind, book.edition, book.version) == ("Faction Pack", "10", "1.2")


def test_stat_lines_with_several_profiles_print_labels_once() -> None:
    first = f'<div class="dsProfileBaseWrap">{STATS}<span class="dsModelName">STOKER</span><span class="dsModelBase">(32mm)</span></div>'
    found = read(
        page(head("").removesuffix("</div>") + first + profile("MATE", "25mm", '6" 3 5+ 1 7+ 2') + "</div>" + KEYWORDS)
    )
    stoker, mate = records(found, "models")
    assert (stoker.name, stoker.base_size, stoker.toughness) == ("STOKER", "32mm", 9)
    assert (mate.name, mate.base_size, mate.movement_inches, mate.toughness, mate.objective_control) == (
        "MATE",
        "25mm",
        6,
        3,
        2,
    )
    assert mate.invulnerable_save is None


P, Q = (profile(name, "25mm", '6" 3 5+ 1 7+ 2') for name in ("STOKER", "STOKER’S MATE"))


def box(save: str, note: str = "") -> str:
    below = f'<div class="dsInvulNote">{note}</div>' if note else ""
    return f'<div class="dsInvulWrap"><div class="dsCharInvulText">INVULNERABLE SAVE</div><div class="dsCharInvulValue">{save}</div>{below}</div>'


@pytest.mark.parametrize(
    ("inside", "expected", "told"),
    [
        (P + box("4+") + Q + box("2+"), (4, 2), []),
        (P + box("4+") + Q, (4, None), []),
        (P + box("5+", "Stoker only.") + Q, (5, None), []),
        (P + Q + box("5+*", "* Stoker models only."), (5, None), []),
        (P + Q + box("5+*", "* Stoker’s Mate only."), (None, 5), []),
        (P + Q + box("5+*", "* Stoker and Stoker’s Mate only."), (5, 5), []),
        (P + Q + box("5+"), (5, 5), ["was given to all models"]),
        (box("5+") + P + Q, (5, 5), ["was given to all models"]),
        (P + Q + box("5+*", "* Against fire only."), (5, 5), ["was given to all models"]),
        (P + Q + box("5+*", "* Lamp model only."), (None, None), ["was given to no model"]),
        (P + Q + box("4+") + box("2+"), (None, None), ["Several"]),
        (box("4+") + P + box("2+") + Q, (2, None), ["was given to no model"]),
        (P + box("4+"), (4,), []),
        (P + box("4+", "Lamp model only."), (4,), []),
        (P + box("4+") + box("2+"), (None,), ["Several"]),
    ],
)  # fmt: skip
def test_whose_an_invulnerable_save_is(inside: str, expected: tuple[int | None, ...], told: list[str]) -> None:
    found = read(page(head("").removesuffix("</div>") + inside + "</div>" + KEYWORDS))
    models = records(found, "models")
    assert tuple(m.invulnerable_save for m in models) == expected
    said = [d for d in found.diagnostics if d.code == "open-invulnerable-save"]
    assert len(said) == len(told) and all(start in d.message for d, start in zip(said, told, strict=True))
    assert all((m.invulnerable_save is None) == (m.invulnerable_save_printed is None) for m in models)


def test_each_box_keeps_its_own_note() -> None:
    found = read(
        page(head("").removesuffix("</div>") + P + box("5+", "Better in fog.") + Q + box("5+") + "</div>" + KEYWORDS)
    )
    assert [m.invulnerable_save_text for m in records(found, "models")] == ["Better in fog.", None]


@pytest.mark.parametrize(
    ("cell", "name", "abilities"),
    [
        ("<span>Ember pistol</span>", "Ember pistol", ()),
        ('<span>Ember pistol <span class="kwb2 kwbw"><span>pistol</span></span></span>', "Ember pistol", ("PISTOL",)),
        (
            '<span>Coil spray <span class="kwbw">torrent</span><span class="kwbw">ignores <span>cover</span></span></span>',
            "Coil spray", ("TORRENT", "IGNORES COVER"),
        ),
        (
            '<span>Coil lance <span class="kwbw">[<span>lance</span>, <span>anti-vehicle 4+</span>]</span></span>',
            "Coil lance", ("LANCE", "ANTI-VEHICLE 4+"),
        ),
        ('<span>Hook thrower <span class="kwbw">harpooned</span></span>', "Hook thrower", ("HARPOONED",)),
    ],
)  # fmt: skip
def test_the_markup_of_a_cell_divides_name_and_abilities(cell: str, name: str, abilities: tuple[str, ...]) -> None:
    table = weapon_table("RANGED WEAPONS", weapon(cell, '12"', "D6+1", "N/A", "4", "-1", "D3"))
    note = section("ABILITIES") if "harpooned" not in cell else ""
    left = table + ('<div class="dsAbility">Harpooned: It is pulled closer.</div>' if "harpooned" in cell else note)
    found = read(page(head("") + columns(left) + KEYWORDS))
    (row,) = found.weapon_rows
    division, certain = weapons.divide(row, weapons.KnownNames())
    made = weapons.records(row, division, certain=certain)
    assert certain
    assert (made.profile.weapon_name, made.profile.abilities, made.profile.kind) == (name, abilities, "ranged")
    assert (made.profile.skill, made.profile.skill_printed, made.profile.attacks, made.profile.armour_penetration) == (
        None,
        "N/A",
        "D6+1",
        -1,
    )
    if "harpooned" in cell:
        assert made.abilities[0].text == "It is pulled closer."


def test_the_markup_of_a_cell_decides_beside_footnotes_and_names_in_capitals() -> None:
    cells = ('36"', "D6+3", "3+", "10", "-1", "2")
    shot = '<span>Brindle mortar – HE <span class="kwbw">blast</span></span>'
    table = weapon_table("RANGED WEAPONS", weapon(shot, *cells), weapon("<span>Brindle mortar – AP</span>", *cells))
    note = '<div class="dsAbility"><b>Harpooned:</b> It is pulled closer.</div>'
    found = read(page(head("") + columns(table + note) + KEYWORDS))
    assert [weapons.divide(row, weapons.KnownNames()) for row in found.weapon_rows] == [
        (weapons.Division("Brindle mortar – HE", ("blast",)), True),
        (weapons.Division("Brindle mortar – AP", ()), True),
    ]


def test_several_abilities_share_an_element() -> None:
    shared = '<b>Slow Fuse:</b> It waits.<div class="dsLineHor"></div><b>Damp Powder (Psychic):</b> It does not.'
    found = read(page(head("") + columns("", section("ABILITIES", "CORE: <b>Deadly Demise D3</b>", shared)) + KEYWORDS))
    assert [(a.kind, a.name, a.value, a.text) for a in records(found, "abilities")] == [
        ("core", "Deadly Demise", "D3", None),
        ("datasheet", "Slow Fuse", None, "It waits."),
        ("datasheet", "Damp Powder (Psychic)", None, "It does not."),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "Fast an’ Loud",
        "Creeping mist",
        "Been here, Done it...",
        "Rain falls. Ash stays. Who knows",
        "Level it!",
        "Wide-band log-tether",
    ],
)
def test_the_markup_tells_the_names_of_abilities(name: str) -> None:
    abilities = f"<b>Slow Fuse:</b> It waits.<div class='dsLineHor'></div><b>{name}:</b> It <b>goes:</b> on."
    for header in ("ABILITIES", "WARGEAR ABILITIES", "FUSES"):
        found = read(
            page(head("") + columns("", section(header, abilities, "<b>Last of <i>them</i>: </b>It ends.")) + KEYWORDS)
        )
        assert [(a.name, a.text) for a in records(found, "abilities")] == [
            ("Slow Fuse", "It waits."), (name, "It goes: on."), ("Last of them", "It ends."),
        ]  # fmt: skip


def test_an_ability_may_begin_with_a_list_and_names_in_lists_begin_none() -> None:
    before = "<b>Slow Fuse:</b> It waits.<div class='dsLineHor'></div>"
    listed = "<b>Odd log engine:</b> <ul><li>It counts.</li><li><b>Twice:</b> again.<br><b>Thrice:</b> more.</li></ul>"
    empty = "<b>Crooked Path:</b> <ul></ul>It turns:<br><ul><li>left</li></ul>"
    found = read(page(head("") + columns("", section("ABILITIES", before + listed, empty)) + KEYWORDS))
    assert [(a.name, a.text) for a in records(found, "abilities")] == [
        ("Slow Fuse", "It waits."),
        ("Odd log engine", "- It counts.\n- Twice: again.\nThrice: more."),
        ("Crooked Path", "It turns:\n- left"),
    ]
    assert not [d for d in found.diagnostics if d.code == "unclaimed-text"]


def test_designers_notes_stay_where_they_stand() -> None:
    note = "<b>Designer’s Note:</b> <i>Put {} pins beside it.</i>"
    equipped = f"<ul><li><b>1 Brindle Hauler</b></li></ul><b>This model is equipped with:</b> hook.<br><br>{note.format('two')}"
    right = section("ABILITIES", f"<b>Slow Fuse:</b> It waits.<br>{note.format('three')}")
    right += section("UNIT COMPOSITION", equipped) + section("HAULER CREW", note.format("four"))
    found = read(page(head("") + columns(f'<div class="dsAbility">{note.format("five")}</div>', right) + KEYWORDS))
    (sheet,) = records(found, "datasheets")
    assert sheet.loadout_text == "This model is equipped with: hook.\nDesigner’s Note: Put two pins beside it."
    assert [a.text for a in records(found, "abilities")] == ["It waits.\nDesigner’s Note: Put three pins beside it."]
    assert [(s.heading, s.text) for s in sheet.other_sections] == [
        ("Designer’s Note", "Put five pins beside it."),
        ("HAULER CREW", "Designer’s Note: Put four pins beside it."),
    ]
    assert found.document.characters_claimed == found.document.characters


def test_text_between_head_and_headings_is_not_lost_in_silence() -> None:
    found = read(page(head("") + columns('<div class="dsAbility">Nobody knows this.</div>') + KEYWORDS))
    assert [(d.code, d.message) for d in found.diagnostics] == [
        ("unclaimed-text", "Not understood: “Nobody knows this.”")
    ]


def test_a_list_that_was_left_open_does_not_take_the_abilities_below() -> None:
    left_open = "<b>Slow Fuse:</b> It turns:<ul><li>left</li><li>right<div class='dsLineHor'></div><b>Odd log engine:</b> It counts."
    for header in ("ABILITIES", "FUSES"):
        found = read(page(head("") + columns("", section(header, left_open)) + KEYWORDS))
        assert [(a.name, a.text) for a in records(found, "abilities")] == [
            ("Slow Fuse", "It turns:\n- left\n- right"), ("Odd log engine", "It counts."),
        ]  # fmt: skip


def test_a_bold_sentence_is_no_name() -> None:
    sentence = f"<b>{'It waits and waits. ' * 5}Then:</b> it goes.<div class='dsLineHor'></div><b>…:</b> And on."
    found = read(
        page(head("") + columns("", section("ABILITIES", f"<b>Slow Fuse:</b> It burns.<br>{sentence}")) + KEYWORDS)
    )
    assert [a.name for a in records(found, "abilities")] == ["Slow Fuse"]


def test_a_listed_ability_keeps_its_remark_apart() -> None:
    listed = '<b>CORE:</b> <b><span>Deadly</span> <span>Demise</span> D6+3 (Ash Prince model only), Scouts 9" (Kites, Gulls only)</b>'
    found = read(
        page(head("") + columns("", section("ABILITIES", listed, "FACTION: <b>Long Fuse (Aura)</b>")) + KEYWORDS)
    )
    assert [(a.kind, a.name, a.value, a.text) for a in records(found, "abilities")] == [
        ("core", "Deadly Demise", "D6+3", "Ash Prince model only"),
        ("core", "Scouts", '9"', "Kites, Gulls only"),
        ("faction", "Long Fuse (Aura)", None, None),
    ]


@pytest.mark.parametrize("label", ["KEYWORDS – ALL MODELS", "KEYWORDS – ALL", "KEYWORDS"])
def test_keywords_of_one_model(label: str) -> None:
    keywords = (
        f'<div class="ds2colKW"><div>{label}: <span><span class="kwb">INFANTRY</span></span>'
        '<span class="dsVertLine"></span>STOKER’S MATE: <span><span class="kwb">EPIC</span> <span class="kwb">HERO</span></span></div></div>'
    )
    found = read(page(head("") + keywords))
    assert [(k.keyword, k.model_name) for k in records(found, "keywords")] == [
        ("INFANTRY", "*"),
        ("EPIC HERO", "STOKER’S MATE"),
    ]


def test_leaders_both_ways() -> None:
    right = section("LEADER", "This model can lead this unit:<ul><li><b><a href='/x'>Ash Guard</a></b></li></ul>")
    right += section("LED BY", "This unit can be led by this unit:<ul><li><b><a href='/x'>Old Stoker</a></b></li></ul>")
    found = read(page(head("") + columns("", right) + KEYWORDS))
    assert [(r.leader_id, r.led_name) for r in records(found, "leaders")] == [
        ("ash-compact/brindle-hauler", "Ash Guard"), ("ash-compact/old-stoker", "Brindle Hauler"),
    ]  # fmt: skip


CARD = (
    '<div class="str10Wrap str10ColorEnemy"><div class="str10Name">GREY VEIL</div><div><div class="str10Fight"></div>'
    '<div class="str10CP">2CP</div></div><div class="str10Type">Core – Battle Tactic Stratagem</div>'
    '<div class="str10Legend ShowFluff">Fog rolls in.</div><div class="str10Text"><b>WHEN:</b> {when}<br><br>'
    "<b>TARGET:</b> One unit.<br><br><b>EFFECT:</b> It hides:<ul><li>well</li></ul></div></div>"
)


@pytest.mark.parametrize(
    ("points", "codes"),
    [
        ('<div class="str10CP">twoCP</div>', ["incomplete-stratagem", "unreadable-value"]),
        ("", ["incomplete-stratagem"]),
    ],
)
def test_a_card_without_readable_points_is_incomplete(points: str, codes: list[str]) -> None:
    text = CARD.format(when="Any phase.").replace('<div class="str10CP">2CP</div>', points)
    found = read(page(head("") + KEYWORDS, tooltip(text)))
    (card,) = records(found, "stratagems")
    assert (card.cp_cost, card.complete) == (None, False)
    assert sorted(d.code for d in found.diagnostics) == codes


def test_an_entry_of_the_list_without_readable_points() -> None:
    entry = '<div class="s10Wrap"><div class="s10Name">GREY VEIL</div><div>{points}</div><div class="s10Type">Core</div></div>'
    listed = section("STRATAGEMS") + "".join(entry.format(points=points) for points in ("2CP", "CP"))
    found = read(page(head("") + columns("", f'<div class="ShowDatasheetFeatures">{listed}</div>') + KEYWORDS))
    assert [s.cp_cost for s in records(found, "stratagems")] == [2, None]
    assert [d.code for d in found.diagnostics] == ["unreadable-value"]


@pytest.mark.parametrize(
    ("when", "phases", "turn"),
    [
        ("Your opponent’s Movement or Charge phase.", ("movement", "charge"), "opponents"),
        ("Whenever the fog horn sounds.", ("fight",), "opponents"),  # only the icon and the colour tell
    ],
)
def test_stratagem_cards(when: str, phases: tuple[str, ...], turn: str) -> None:
    found = read(page(head("") + KEYWORDS, tooltip(CARD.format(when=when))))
    (card,) = records(found, "stratagems")
    assert (card.stratagem_id, card.cp_cost, card.flavour, card.phases, card.turn) == (
        "core/grey-veil",
        2,
        "Fog rolls in.",
        phases,
        turn,
    )
    assert (card.when_text, card.target_text, card.effect_text, card.complete) == (
        when,
        "One unit.",
        "It hides:\n- well",
        True,
    )


def test_enhancements_name_their_detachment() -> None:
    text = (
        '<div class="BreakInsideAvoid"><ul class="EnhancementsPts"><li><span>Veil of Dusk</span><span></span><span>20 pts</span></li></ul>'
        '<div class="detachName">Fog Wardens Detachment</div><p class="ShowFluff legend2">Cool.</p><p>The bearer hides.</p></div>'
    )
    found = read(page(head("") + KEYWORDS, tooltip(text)))
    (record,) = records(found, "enhancements")
    assert (record.enhancement_id, record.points, record.text) == (
        "ash-compact/fog-wardens/enhancement/veil-of-dusk", 20, "The bearer hides.",
    )  # fmt: skip


def test_keyword_indexes_name_their_datasheets() -> None:
    text = (
        '<p>The <span class="kwb">FLY</span> keyword is used in the following Ash Compact datasheets:</p><span class="contents">'
        '<div class="BatRole">Characters</div><div><a class="contentColor" href="/f/factions/ash/Old-Stoker">Old Stoker</a></div>'
        '<div class="BatRole">Other</div><div><a class="contentColor" href="/f/factions/ash/Hauler">Brindle Hauler</a></div></span>'
    )
    found = read(page(head("") + KEYWORDS, tooltip(text)))
    (index,) = records(found, "keyword_index")
    assert (index.printed_groups, index.printed_datasheets, index.members_known) == (
        ("Characters", "Other"), ("Old Stoker", "Brindle Hauler"), True,
    )  # fmt: skip
    assert records(found, "datasheets")[0].role == "Other"


def test_tables_and_sub_rules_of_a_rule() -> None:
    table = (
        '<table class="customTable"><tr><td><b>FOG ROLL</b></td><td></td></tr><tr><td><b>FOG</b></td><td><b>RESULT</b></td></tr>'
        '<tr><td>Thick</td><td><img src="/img/d2.png"/><div>+</div></td></tr><tr><td></td><td></td></tr></table>'
    )
    part = '<table><tr><td class="td_w"><p class="impact18">Thin Fog</p><p>It thins.</p></td></tr></table>'
    text = f'<div class="tooltip_header">Fog Bank</div><div class="detachName">Fog Wardens Detachment</div>Roll:<br>{table}{part}'
    found = read(page(head("") + KEYWORDS, tooltip(text)))
    bank, thin = records(found, "rules")
    assert (bank.rule_id, bank.detachment_id, bank.text) == (
        "detachment-rule/ash-compact/fog-bank",
        "ash-compact/fog-wardens",
        "Roll:",
    )
    (made,) = bank.tables
    assert (made.caption, made.header, made.rows) == ("FOG ROLL", ("FOG", "RESULT"), (("Thick", "2+"),))
    assert (thin.rule_id, thin.parent_id, thin.text) == (f"{bank.rule_id}/thin-fog", bank.rule_id, "It thins.")


def test_tables_on_one_line_of_the_file_are_several() -> None:
    tables = "".join(
        f'<table class="customTable"><tr><td><b>{name}</b></td><td><b>D6</b></td></tr><tr><td>Thick</td><td>{result}</td></tr></table>'
        for name, result in (("FOG", "1-2"), ("SMOKE", "3-6"))
    )
    (rule,) = records(
        read(page(head("") + KEYWORDS, tooltip(f'<div class="tooltip_header">Fog Bank</div>Roll:{tables}'))), "rules"
    )
    assert [(t.header, t.rows) for t in rule.tables] == [
        (("FOG", "D6"), (("Thick", "1-2"),)), (("SMOKE", "D6"), (("Thick", "3-6"),))
    ]  # fmt: skip


def test_a_faction_page() -> None:
    text = (
        f'{HEAD}<h1 class="page_header">Ash Compact</h1><h2 class="outline_header">Books</h2><table><tr><td>Book</td><td>Kind</td>'
        "<td>Edition</td><td>Version</td><td>Last update</td></tr><tr class='book_tight'><td>Ash Compact</td></tr>"
        "<tr><td>Ash Compact</td><td>Faction Pack</td><td>10</td><td>1.1</td><td>May 2025</td></tr></table>"
        '<h2 class="outline_header">Army Rules</h2><h3 class="padLeft8">Long Fuse</h3><p class="ShowFluff">Sss.</p>It burns.'
        '<div class="clFl"><h2 class="outline_header">Fog Wardens</h2><h2>Detachment Rule</h2><h3>Fog Bank</h3>It hides.'
        '<h2>Enhancements</h2><ul class="EnhancementsPts"><li><span>Veil</span><span>20 pts</span></li></ul><p>Hidden.</p>'
        f"<h2>Stratagems</h2>{CARD.format(when='Your Command phase.').replace('Core', 'Fog Wardens')}</div></div></body></html>"
    )
    found = read(text.replace("/ash/Hauler", "/ash/"))
    assert found.document.kind == "faction"
    assert [(r.rule_id, r.flavour, r.text) for r in records(found, "rules")] == [
        ("army-rule/ash-compact/long-fuse", "Sss.", "It burns."),
        ("detachment-rule/ash-compact/fog-bank", None, "It hides."),
    ]
    assert [e.enhancement_id for e in records(found, "enhancements")] == ["ash-compact/fog-wardens/enhancement/veil"]
    assert [(b.name, b.version) for b in records(found, "books")] == [("Ash Compact", "1.1")]
    assert records(found, "stratagems")[0].detachment_id == "ash-compact/fog-wardens"
    assert found.document.characters_claimed == found.document.characters


@pytest.mark.parametrize("text", ["", " \n", "<!-- nothing -->", "\x00", "<p></p>"])
def test_pages_with_nothing_in_them(text: str) -> None:
    assert html.read(text).text == ""


def test_an_encoding_declaration_in_decoded_text_does_not_count() -> None:
    assert html.read('<?xml version="1.0" encoding="latin-1"?><html><body><h1>É</h1></body></html>').text == "É\n"


def test_texts_longer_than_ten_million_characters_and_deep_elements_are_kept() -> None:
    assert len(html.read(f"<h1>A</h1><p>{'a' * 10_500_000}</p>").text) == 10_500_003
    assert html.read(f"<h1>A</h1>{'<div>' * 1500}deep{'</div>' * 1500}").text == "A\ndeep\n"


def test_what_is_too_deep_for_the_parser_is_said() -> None:
    document = Document("0", "x.html", None, "html", "", 0, f"<h1>A</h1>{'<div>' * 3000}deep{'</div>' * 3000}")
    assert [d.code for d in html.read_document(document).diagnostics] == ["truncated-page"]


def test_a_tooltip_that_is_too_deep_for_the_parser_is_said() -> None:
    deep = "<div>" * 3000 + "deep" + "</div>" * 3000
    for text in (page(head(""), tooltip("<p>Fog.</p>", 1) + tooltip(deep, 2)), page(head(""), tooltip(deep))):
        document = html.read_document(Document("0", "x.html", None, "html", "", 0, text))
        assert [d.code for d in document.diagnostics] == ["truncated-page"]


def test_what_nobody_sees_is_left_out_however_deep_it_stands() -> None:
    inside = 'Shown<script>no()</script><div class="noprint">Menu</div><p>too</p>'
    deep = f"{'<div>' * 1200}{inside}{'</div>' * 1200}"
    assert html.read(f"<h1>A</h1>{deep}").text == "A\nShown too\n"
    assert html.read(f"<h1>A</h1><h2>Fog {deep}</h2>").text == "A\nFog Shown too\n"


def test_inline_elements_that_nobody_sees_are_left_out() -> None:
    assert html.read('<h1>A</h1><p>Shown <span class="noprint">Menu</span>text.</p>').text == "A\nShown text.\n"


def test_the_end_of_a_page_inside_a_tooltip_ends_nothing() -> None:
    both = tooltip("<p>One</p></body></html><p>Two</p>", 1) + tooltip("<p>Three</p>", 2)
    assert html.read(page(head(""), both)).text.endswith("One\nTwo\nThree\n")


def test_what_is_said_of_the_bytes_has_its_place_in_the_message() -> None:
    told = Diagnostic(code="control-characters", message="One.", line=40, start=3_000, end=3_001)
    document = Document("0", "Hauler.html", None, "html", "", 0, page(head("")), diagnostics=[told])
    (found,) = html.read_document(document).diagnostics
    assert (found.message, found.line, found.start, found.end) == ("One. (line 40 of the file)", 1, 0, 0)


def test_what_a_page_says_does_not_depend_on_the_pages_before_it() -> None:
    """Two rules of the same words: a heading in one is a line of text in the other."""
    rules = [
        page(
            head("") + KEYWORDS,
            tooltip(f'<div class="tooltip_header">Fog</div>It drifts.<{tag}>Deep Fog</{tag}>It hides.'),
        )
        for tag in ("h3", "p")
    ]
    for order in (rules * 3, rules[::-1] * 3):
        rule_sections.forget()
        found = {(text, records(read(text), "rules")[0].sidebars) for text in order}
        assert {text: [s.title for s in sidebars] for text, sidebars in found} == {rules[0]: ["Deep Fog"], rules[1]: []}
        assert len(found) == 2


def test_titles_and_tooltips_in_comments_and_scripts_are_none() -> None:
    old = '<h1 class="page_header2">Ash Compact – Old Hauler</h1>'
    for unseen in (
        f"<!-- {old} -->",
        f"<script>let old = '{old}';</script>",
        f"<!-- <script> {old} -->",
        f"<script><!-- --> {old}</script>",
    ):
        assert html.read(page(head("")).replace('<h1 class="page_header2">', f'{unseen}<h1 class="page_header2">', 1)).text == (
            "Ash Compact – Brindle Hauler\nBrindle Hauler\n"
        )  # fmt: skip
    shown, hidden = tooltip("<p>Shown.</p>", 1), tooltip("<p>Hidden.</p>", 2)
    for behind in (f"<!-- {hidden} -->{shown}", f"{shown}<!-- {hidden}{hidden} -->{shown}", f"{shown}<!-- {hidden}"):
        found = html.read(page(head(""), behind)).text
        assert found.count("Shown.") == behind.count("Shown.")
        assert "Hidden." not in found


def test_a_card_behind_a_tooltip_is_read() -> None:
    found = html.read(
        page(head("")).replace('<div class="dsOuterFrame', tooltip("<p>Fog.</p>") + '<div class="dsOuterFrame')
    )
    assert found.text == "Ash Compact – Brindle Hauler\nBrindle Hauler\nFog.\n"


def test_what_stands_behind_a_tooltips_span_is_read() -> None:
    inside = '<div class="tooltip_templates"><span id="a"><p>Fog.</p></span> It drifts.</div>'
    assert html.read(page(head(""), inside)).text.endswith("Fog.\nIt drifts.\n")


def test_a_raised_digit_is_none_of_the_number() -> None:
    table = weapon_table("RANGED WEAPONS", weapon("Rivet gun", '24"', "1", "4+", "5", "0", "3<sup>2</sup>"))
    (row,) = read(page(head("") + columns(table))).weapon_rows
    assert row.cells[-1] == "3 2"


def test_all_words_of_a_keyword_line_are_keywords() -> None:
    bold = KEYWORDS.replace(
        '<span class="kwb">FLY</span></span>', '<span class="kwb">FLY</span></span>, <b>TITANIC, SMOKE</b>'
    )
    found = records(read(page(head("") + bold)), "keywords")
    assert [k.keyword for k in found] == ["VEHICLE", "FLY", "TITANIC", "SMOKE", "ASH COMPACT"]


def test_a_priced_name_without_its_parts_is_text() -> None:
    text = page(head("")).replace("</body>", '<ul class="EnhancementsPts"><li>Ash Crown 10 pts</li></ul></body>')
    assert html.read(text).text.endswith("Ash Crown 10 pts\n")


def unclaimed(found: Extract) -> list[str]:
    return [d.message.removeprefix("Not understood: ") for d in found.diagnostics if d.code == "unclaimed-text"]


def test_a_lost_value_of_a_stat_line_moves_no_other() -> None:
    lost = STATS.replace('<div class="dsCharValue">9</div>', "")
    found = read(page(head(f'<div class="dsProfileBaseWrap">{lost}</div>') + KEYWORDS))
    (model,) = records(found, "models")
    assert (model.movement_inches, model.toughness, model.save, model.wounds) == (20, None, 3, 13)
    assert unclaimed(found) == ["“T”"]


@pytest.mark.parametrize("values", ['6" 3 4+ 1 7+', '6" 3 4+ 1 7+ 2 5'])
def test_values_that_nothing_names_are_said(values: str) -> None:
    found = read(
        page(head("", profile("Ash Mate", "25mm", '6" 3 4+ 1 7+ 2') + profile("Ash Hand", "25mm", values)) + KEYWORDS)
    )
    mate, hand = records(found, "models")
    assert (mate.toughness, hand.toughness, hand.objective_control) == (3, None, None)
    assert len(unclaimed(found)) == 1


def test_a_second_card_is_not_read_as_the_first() -> None:
    second = (
        '<div class="dsOuterFrame datasheet">'
        + columns(weapon_table("RANGED WEAPONS", weapon("Hook", '6"', *"13-41")))
        + "</div>"
    )
    found = read(page(head("") + KEYWORDS, second))
    assert found.weapon_rows == []
    assert len(unclaimed(found)) == 1


def test_what_stands_in_a_card_beside_its_columns_is_said() -> None:
    beside = '<div class="dsOther"><div>DAMAGED: 1-4 WOUNDS REMAINING</div>It limps.</div>'
    found = read(page(head("") + beside + columns(section("ABILITIES", "CORE: <b>Hover</b>")) + KEYWORDS))
    assert unclaimed(found) == ["“DAMAGED: 1-4 WOUNDS REMAINING It limps.”"]
