"""The saved pages of the demo: the invented records of `demo_truth` in the markup of real ones, byte for byte the same each time.

    python -m tests.demo_pages        writes raw/demo/html

What dumps lose is invented here: stat lines, leaders, members of keyword indexes. Two pages stand alone, one in a zip and one in
a WARC.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import escape
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "raw" / "demo" / "html"
MOMENT = "2026-09-01T12:00:00Z"
SITE = "https://rules.example.invalid"

Truth = dict[str, Any]

STATS: dict[str, list[tuple[str | None, str | None, str]]] = {
    "Cinder Striders": [(None, None, '10" 7 3+ 7 7+ 2')],
    "Pressure Gunners": [],  # from the truth: its dump has them
    "Gloamwing Dropship": [(None, None, '20+" 10 3+ 14 7+ 0')],
    "Lamplight Fusiliers": [
        ("LAMP SERGEANT", "28.5mm", '6" 3 4+ 1 7+ 2'),
        ("LAMPLIGHT FUSILIER", "25mm", '6" 3 5+ 1 7+ 2'),
    ],
}
BASES = {"Cinder Striders": "⌀105 x 70mm", "Gloamwing Dropship": "⌀120 x 92mm flying base"}
SAVES = {"Cinder Striders": ("5+", None), "Gloamwing Dropship": ("5+*", "* Against ranged attacks only.")}
LED_BY: dict[str, tuple[str, ...]] = {"Lamplight Fusiliers": ("Beacon Matriarch", "Wickfather Oren Dusk")}
LEADS: dict[str, tuple[str, ...]] = {"Pressure Gunners": ("Brine Lancers",)}
UNITS = {
    "Lantern Wardens": {
        "Infantry Epic Hero": ["Wickfather Oren Dusk"], "Vehicle Epic Hero": [], "Infantry Character": ["Beacon Matriarch"],
        "Characters": ["Beacon Matriarch"], "Battleline": ["Lamplight Fusiliers"], "Walker": ["Cinder Striders"],
        "Transport": ["Gloamwing Dropship"], "Other": ["Cinder Striders"],
    },
    "Dra’veth Tidehold": {"Characters": ["Tidecaller"], "Battleline": ["Pressure Gunners"], "Other": ["Leviathan Cradle"]},
}  # fmt: skip
LABELS = ("M", "T", "Sv", "W", "Ld", "OC")
PHASES = ("Command", "Movement", "Shooting", "Charge", "Fight")


def truth(stem: str) -> Truth:
    """What a dump of the demo is meant to say."""
    found: Truth = json.loads((HERE / "demo_truth" / f"{stem}.json").read_text(encoding="utf-8"))
    return found


def page(stem: str) -> str:
    """The saved page of a datasheet."""
    said = truth(stem)
    faction, unit = said["faction"], said["unit"]
    site = f"{said['edition'][:-1]}ed/factions/{_site_slug(faction)}"
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><base href="{SITE}/{site}/{unit.replace(" ", "-")}">'
        f'<title>{_text(unit)}</title><script>var units = [\'never read\'];</script></head>\n<body><div id="wrapper2"><div id="wrapper">'
        f'<div class="noprint"><span class="contents"><div class="armylist_header">Army List</div></span></div>\n'
        f'<h1 class="page_header2"><span class="page_header_span2">{_text(faction)}</span> <span>– {_text(unit)}</span>'
        f'<span class="noprint">[<select><option>No filter</option></select>]</span></h1>\n{_card(said)}\n{_tooltips(said)}\n'
        '<div class="social_buttons">Support this site</div></div></div></body></html>\n'
    )


def _site_slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def _text(printed: str) -> str:
    return escape(printed, quote=False)


def _marked(printed: str) -> str:
    """Keywords in capitals are elements of their own, as on a page."""
    return re.sub(r"\b([A-Z][A-Z’-]{2,})\b", r'<span class="kwb">\1</span>', _text(printed))


def _lines(printed: str | None) -> str:
    """Paragraphs and lists of a text column."""
    made: list[str] = []
    items: list[str] = []
    for line in (printed or "").split("\n"):
        if line.startswith("- "):
            items.append(f"<li>{_marked(line[2:])}</li>")
            continue
        if items:
            made.append(f"<ul>{''.join(items)}</ul>")
            items = []
        if line:
            made.append(f"{'<br><br>' if made and not made[-1].startswith('<ul>') else ''}{_marked(line)}")
    if items:
        made.append(f"<ul>{''.join(items)}</ul>")
    return "".join(made)


# --- the card --------------------------------------------------------------------------------------------------------------


def _card(said: Truth) -> str:
    left = "".join(_weapons(said, kind) for kind in ("ranged", "melee")) + _options(said)
    keywords = _keywords(said)
    lists = _stratagem_list(said)
    return (
        f'<div class="dsOuterFrame datasheet clFl ZZZZ">{_head(said)}<div class="ds2col"><div class="dsLeftCol">{left}</div>'
        f'<div class="dsRightCol">{_right(said)}</div></div>{keywords}{lists}</div>'
    )


def _head(said: Truth) -> str:
    unit = said["unit"]
    base = f'<span class="dsModelBase2 ShowBaseSize">({BASES[unit]})</span>' if unit in BASES else ""
    source = f"Faction Pack. {said['faction']} ({said['edition'][:-1]}th edition, version 1.0)"
    profiles = STATS[unit] or [
        (m["name"].upper(), m["base_size"], " ".join(_printed(m))) for m in said["models"]
    ]  # fmt: skip
    made = "".join(_profile(*profile, labelled=index == 0) for index, profile in enumerate(profiles))
    save = ""
    if unit in SAVES:
        value, note = SAVES[unit]
        note = f'<div class="dsCharInvulNote">{note}</div>' if note else ""
        save = (
            '<div class="dsInvulWrap"><div class="dsCharInvulText">INVULNERABLE SAVE</div><div class="dsCharInvul">'
            f'<div class="dsCharInvulValue">{value}</div></div>{note}</div>'
        )
    return (
        f'<div class="dsBannerWrap"><div class="dsPicWide"><img class="tooltip logo3" title="{escape(source)}"></div>'
        f'<div class="dsH2Header"><div>{_text(unit)}</div>{base}</div>{made}{save}</div>'
    )


def _printed(model: Truth) -> tuple[str, ...]:
    return (
        f'{model["movement_inches"]}"', str(model["toughness"]), f'{model["save"]}+', str(model["wounds"]),
        f'{model["leadership"]}+', str(model["objective_control"]),
    )  # fmt: skip


def _profile(name: str | None, base: str | None, values: str, *, labelled: bool) -> str:
    stats = "".join(
        f'<div class="dsCharWrap">{f"""<div class="dsCharName">{label}</div>""" if labelled else ""}'
        f'<div class="dsCharFrame"><div class="dsCharValue">{value}</div></div></div>'
        for label, value in zip(LABELS, values.split(), strict=True)
    )
    size = f'<span class="dsModelBase ShowBaseSize">({base})</span>' if base else ""
    named = f'<span class="dsModelName">{_text(name)}</span>{size}' if name else ""
    return f'<div class="dsProfileBaseWrap"><div class="dsProfileWrapLeft">{stats}</div><div>{named}</div></div>'


def _weapons(said: Truth, kind: str) -> str:
    found = [weapon for weapon in said["weapons"] if weapon["kind"] == kind]
    if not found:
        return ""
    titles = ("RANGE", "A", "BS" if kind == "ranged" else "WS", "S", "AP", "D")
    columns = "".join(f'<td><div class="ct dsHeader">{title}</div></td>' for title in titles)
    rows = "".join(_weapon(weapon, bracketed=said["edition"] == "10e") for weapon in found)
    notes = "".join(
        f'<div class="dsAbility">{_text(name)}: {_marked(text)}</div>'
        for name, text in said["weapon_footnotes"]
        if kind == "melee"
    )
    return (
        f'<table class="wTable"><tbody><tr><td class="dsHeader"><div class="ds{kind.title()}Icon"></div></td><td class="wTable_WEAPON">'
        f'<div class="dsHeader">{kind.upper()} WEAPONS</div></td>{columns}</tr></tbody>{rows}</table>{notes}<div class="dsLineHor"></div>'
    )


def _weapon(weapon: Truth, *, bracketed: bool) -> str:
    name = weapon["weapon_name"] + (f" – {weapon['profile_name']}" if weapon["profile_name"] else "")
    abilities = [ability.lower() for ability in weapon["abilities"]]
    if bracketed and abilities:
        marks = f' <span class="kwb2 kwbw">[{", ".join(f"<span>{ability}</span>" for ability in abilities)}]</span>'
    else:
        marks = "".join(
            f' <span class="kwb2 kwbw"><span class="tt kwbu">{ability}</span></span>' for ability in abilities
        )
    reach = "Melee" if weapon["kind"] == "melee" else f'{weapon["range_inches"]}"'
    cells = (
        reach, weapon["attacks"], weapon["skill_printed"], weapon["strength"], str(weapon["armour_penetration"]), weapon["damage"],
    )  # fmt: skip
    values = "".join(f'<td><div class="ct pad2626">{cell}</div></td>' for cell in cells)
    named = f"<span>{_text(name)}{marks}</span>"
    return (
        f'<tbody class="bkg"><tr class="wTable2_long"><td></td><td class="pad2626">{named}</td></tr>'
        f'<tr><td></td><td class="wTable2_short pad2626">{named}</td>{values}</tr></tbody>'
    )


def _options(said: Truth) -> str:
    found = said["wargear_options"]["options"]
    if not found:
        return ""
    items = "".join(
        f"<li>{_text(option['text'])}"
        + (
            f"<ul>{''.join(f'<li>{_text(choice)}</li>' for choice in option['choices'])}</ul>"
            if option["choices"]
            else ""
        )
        + "</li>"
        for option in found
    )
    return f'<div class="dsHeader">WARGEAR OPTIONS</div><ul>{items}</ul>'


def _section(title: str, *parts: str) -> str:
    return f'<div class="dsHeader">{title}</div>' + "".join(f'<div class="dsAbility">{part}</div>' for part in parts)


def _right(said: Truth) -> str:
    by_kind: dict[str, list[Truth]] = {}
    for ability in said["abilities"]:
        by_kind.setdefault(ability["kind"], []).append(ability)
    shown = []
    for kind in ("core", "faction"):
        names = [f"{a['name']}{' ' + a['value'] if a['value'] else ''}" for a in by_kind.pop(kind, [])]
        if names:
            shown.append(f"{kind.upper()}: <b>{', '.join(names)}</b>")
    line = '<div class="dsLineHor"></div>'
    shown.append(line.join(_ability(a) for a in by_kind.pop("datasheet", [])))
    made = _section("ABILITIES", *filter(None, shown))
    for kind, found in by_kind.items():
        title = "WARGEAR ABILITIES" if kind == "wargear" else kind.upper()
        made += _section(title, *(_ability(a) for a in found))
    made += _section("UNIT COMPOSITION", _composition(said), f"<table>{_costs(said)}</table>")
    if said["damaged"]:
        low, high = said["damaged"]
        made += _section(f"DAMAGED: {low}-{high} WOUNDS REMAINING", _marked(said["damaged_text"]))
    if said["transport_capacity"]:
        made += _section("TRANSPORT", _marked(said["transport_text"]))
    for title, text, named in (("LEADER", "leader_text", LEADS), ("LED BY", "led_by_text", LED_BY)):
        if said.get(text):
            items = "".join(f'<li><b><a href="/x">{_text(name)}</a></b></li>' for name in named[said["unit"]])
            made += _section(title, f"{_text(said[text])}<ul>{items}</ul>")
    return made + "".join(_section(other["heading"], _lines(other["text"])) for other in said.get("other_sections", ()))


def _ability(ability: Truth) -> str:
    return f"<b>{_text(ability['name'])}:</b> {_lines(ability['text'])}"


def _composition(said: Truth) -> str:
    items = "".join(
        f'<ul class="dsUl"><li><b>{_text(_counted(entry))}</b></li></ul>' for entry in said["composition"]
    )  # fmt: skip
    texts = "<br><br>".join(
        f"<b>{_text(t.partition(':')[0])}:</b>{_text(t.partition(':')[2])}" for t in said["composition_text"]
    )
    return items + texts


def _counted(entry: Truth) -> str:
    least, most = entry["models_min"], entry["models_max"]
    return f"{least if least == most else f'{least}-{most}'} {entry['model_name']}"


def _costs(said: Truth) -> str:
    made: list[str] = []
    tier: tuple[Any, Any] = (None, None)
    for cost in said["costs"]:
        here = (cost["from_unit"], cost["to_unit"])
        if here != tier and here[0] is not None:
            last = "" if here[1] is None else f" TO {_ordinal(here[1])}"
            title = (
                f"YOUR {_ordinal(here[0])}{last} UNITS COST" if here[1] else f"YOUR {_ordinal(here[0])} + UNITS COST"
            )
            made.append(f"<tr><td>{title}</td><td></td></tr>")
        tier = here
        described = cost["description"] if cost["kind"] == "unit" else f"per {cost['description']}"
        made.append(f'<tr><td>{_text(described)}</td><td><div class="PriceTag">{cost["points"]}</div></td></tr>')
    return "".join(made)


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'ST', 2: 'ND', 3: 'RD'}.get(number, 'TH') }"


def _keywords(said: Truth) -> str:
    groups: dict[str, list[str]] = {}
    for keyword, model, is_faction in said["keywords"]:
        if not is_faction:
            groups.setdefault(model, []).append(keyword)
    mark = ", " if said["edition"] == "10e" else "; "
    made = []
    for model, found in groups.items():
        all_models = "KEYWORDS – ALL MODELS" if len(groups) > 1 else "KEYWORDS"
        words = mark.join(f'<span class="kwb">{_text(keyword)}</span>' for keyword in found)
        made.append(f"{all_models if model == '*' else _text(model)}: <span>{words}</span>")
    faction = said["faction_keyword"] or "WARDENS OF THE LAST LANTERN"
    return (
        f'<div class="ds2colKW"><div>{"<span class=dsVertLine></span>".join(made)}</div>'
        f'<div>FACTION KEYWORDS:<br><span><span class="kwb">{_text(faction)}</span></span></div></div>'
    )


def _stratagem_list(said: Truth) -> str:
    owners = {"core": "Core", "boarding-actions": "Boarding Actions"}
    tags = {"core": "C", "boarding-actions": "BA"}
    entries = []
    for name, source, detachment, kind, points in said["stratagem_list"]:
        owner = detachment or owners[source]
        typed = f"{_text(owner)} – {kind}" if kind else f"{_text(owner)}{' Stratagem' if source == 'core' else ''}"
        tag = f'<div class="s10Core">{tags[source]}</div>' if source in tags else ""
        entries.append(
            f'<div class="s10Wrap"><div class="s10NameWrap"><div class="s10NameWrapCP"><div class="s10Name">{_text(name)}</div>'
            f'<div>{points}CP</div></div><div class="s10Type">{typed}</div></div>{tag}</div>'
        )
    title = "DETACHMENT ABILITY" if len(said["detachment_abilities"]) == 1 else "DETACHMENT ABILITIES"
    names = "".join(f'<div class="s10EnhWrap"><div>{_text(name)}</div></div>' for name in said["detachment_abilities"])
    right = f"<div>{_section(title, names)}</div>"
    priced = "".join(
        f'<div class="s10EnhWrap"><div>{_text(e["name"])}</div><div class="PriceTag">{e["points"]}</div></div>'
        for e in said.get("enhancements", ()) if e["points"] is not None
    )  # fmt: skip
    if priced:
        right += f"<div>{_section('ENHANCEMENTS', priced)}</div>"
    return (
        f'<div class="ds2col ShowDatasheetFeatures"><div><div class="dsHeader">STRATAGEMS</div><div>{"".join(entries)}</div></div>'
        f"<div>{right}</div></div>"
    )


# --- the tooltips ----------------------------------------------------------------------------------------------------------


def _tooltips(said: Truth) -> str:
    insides = [_rule(rule, said) for rule in said["rules"] if rule["title"] and not _is_part(rule)]
    insides += [_stratagem(card) for card in said["stratagem_cards"]]
    insides += [_index(index) for index in said["keyword_indexes"] if index["keywords"]]
    return "\n".join(
        f'<div class="tooltip_templates"><span id="tooltip_content{number:05}">{inside}</span></div>'
        for number, inside in enumerate(insides, 1)
    )


def _rule(rule: Truth, said: Truth) -> str:
    title, number, kind = rule["title"], rule["number"], rule["kind"]
    flavour = f'<p class="ShowFluff legend2">{_marked(rule["flavour"])}</p>' if rule["flavour"] else ""
    body = _lines(rule["text"])
    body += "".join(f"<br><br><b>{s['label']}:</b> {_lines(s['text'])}" for s in rule["sections"])
    body += "".join(f'<div class="redExample"><b>Example:</b> {_marked(example)}</div>' for example in rule["examples"])
    body += "".join(f"<h3>{_text(s['title'])}</h3>{_lines(s['text'])}" for s in rule["sidebars"])
    if rule["see_also"]:
        body += "<h3>SEE ALSO</h3>" + f"<ul>{''.join(f'<li>{_text(_seen(see))}</li>' for see in rule['see_also'])}</ul>"
    if kind == "core-ability" and number is None:
        return f'<div class="abWrap"><div class="abNameWrap"><div class="abName">{_text(title)}</div></div>{flavour}{body}</div>'
    shown = (
        _text(title)
        if number is None
        else f"{_text(title)}<span>{number}</span>"
        if title.isupper()
        else f"{number} {_text(title)}"
    )
    owner = "the-rules/core-rules" if rule["faction"] is None else f"factions/{_site_slug(said['faction'])}"
    link = f'<a href="/{owner}/#{_site_slug(title)}"><div class="tooltip_link"></div></a>'
    detachment = f'<div class="detachName">{_text(rule["detachment"])} Detachment</div>' if rule["detachment"] else ""
    parts = "".join(_part(part) for part in said["rules"] if _is_part(part) and part["parent"] == title)
    return f'<div class="tooltip_header">{shown}</div>{link}{detachment}{flavour}{body}{parts}'


def _is_part(rule: Truth) -> bool:
    return str(rule["kind"]).endswith("-option")


def _seen(see: Any) -> str:
    return see if isinstance(see, str) else " ".join(str(part) for part in see if part)


def _part(rule: Truth) -> str:
    flavour = f'<p class="ShowFluff legend2">{_marked(rule["flavour"])}</p>' if rule["flavour"] else ""
    inside = f'<p class="impact18">{_text(rule["title"])}</p>{flavour}<p>{_lines(rule["text"])}</p>'
    return f'<div class="BreakInsideAvoid"><table><tbody><tr><td class="td_w">{inside}</td></tr></tbody></table></div>'


def _stratagem(card: Truth) -> str:
    owner = card["detachment"] or {"core": "Core", "boarding-actions": "Boarding Actions"}[card["source"]]
    kind = f" – {card['type']}" if card["type"] else ""
    name = _text(card["name"]) + (f"<span>{card['rule_number']}</span>" if card["rule_number"] else "")
    icons = "".join(
        f'<div class="str10{phase}"></div>' for phase in PHASES if re.search(rf"\b{phase}\b", card["when"] or "")
    )
    labels = (("WHEN", "when"), ("TARGET", "target"), ("EFFECT", "effect"), ("RESTRICTIONS", "restrictions"))
    text = "<br><br>".join(f"<span><b>{label}:</b></span> {_lines(card[key])}" for label, key in labels if card[key])
    flavour = f'<div class="str10Legend ShowFluff">{_text(card["flavour"])}</div>' if card["flavour"] else ""
    return (
        f'<div class="str10Wrap str10ColorEither"><div class="str10Name">{name}</div><div class="str10Border">{icons}'
        f'<div class="str10CP">{card["cp"]}CP</div><div class="str10Type">{_text(owner)}{kind} Stratagem</div>{flavour}'
        f'<div class="str10Text">{text}</div></div></div>'
    )


def _index(index: Truth) -> str:
    words = " and ".join(f'<span class="kwb">{_text(keyword)}</span>' for keyword in index["keywords"])
    form = "keyword is" if len(index["keywords"]) == 1 else "keywords are"
    groups = "".join(
        f'<div class="BatRole">{_text(group)}</div>'
        + "".join(
            f'<div><a class="contentColor" href="/f/factions/{_site_slug(index["faction"])}/{unit.replace(" ", "-")}">{_text(unit)}</a></div>'
            for unit in UNITS.get(index["faction"], {}).get(group, ())
        )
        for group in index["printed_groups"]
    )
    return f'<p>The {words} {form} used in the following {_text(index["faction"])} datasheets:</p><span class="contents">{groups}</span>'


# --- files ---------------------------------------------------------------------------------------------------------------------


def files() -> dict[str, bytes]:
    """Names and bytes of all files in raw/demo/html."""
    alone = ("lantern-wardens__Cinder_Striders", "lantern-wardens__Gloamwing_Dropship")
    made = {f"{stem}.html": page(stem).encode() for stem in alone}
    made["more-pages.zip"] = _zip(
        {"dra-veth-tidehold__Pressure_Gunners.html": page("dra-veth-tidehold__Pressure_Gunners").encode()}
    )
    made["crawl.warc"] = _warc(
        (
            "11ed/factions/lantern-wardens/Lamplight-Fusiliers",
            page("lantern-wardens__Lamplight_Fusiliers").encode(),
        ),
    )
    return made


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (2026, 9, 1, 12, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def _warc(*responses: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=False)
    for number, (path, data) in enumerate(responses, 1):
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
        known = {"WARC-Date": MOMENT, "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>"}
        record = writer.create_warc_record(
            f"{SITE}/{path}", "response", payload=io.BytesIO(data), length=len(data), http_headers=headers, warc_headers_dict=known
        )  # fmt: skip
        writer.write_record(record)
    return buffer.getvalue()


def main() -> None:
    """Writes the files anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    main()
