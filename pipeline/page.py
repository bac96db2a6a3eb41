"""The validation page of a release: one HTML file that needs nothing from anywhere.

In: the tables' columns and the results of the expectations. Out: HTML with what was read and rejected, coverage per
document, rows per table against the last release, expectations, and every diagnostic with its message and place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from pipeline import store
from pipeline.diagnostics import CODES

SHOWN_PER_CODE = 500
"""Diagnostics that the page lists per code; the table `diagnostics` has them all."""

SHOWN_DOCUMENTS = 100
"""Documents that the page lists unfolded, those that were read worst first."""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #b3261e; --doubt: #9a6700; --good: #1a7f37 }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --doubt: #e3b341; --good: #56d364 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line) }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.wrap { overflow-wrap: anywhere }
.error { color: var(--bad) } .warning { color: var(--doubt) } .fine { color: var(--good) }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; margin: .5rem 0 }
summary { cursor: pointer } summary .n { float: right; font-variant-numeric: tabular-nums }
.bar { background: var(--line); border-radius: .2rem; height: .5rem; width: 8rem; margin-top: .5rem }
.bar span { background: var(--good); border-radius: .2rem; height: .5rem; display: block }
nav a { margin-right: 1rem }
""".strip()


def render(
    edition: str,
    columns: Mapping[str, store.Columns],
    rows: Mapping[str, int],
    before: Mapping[str, int],
    results: Sequence[Mapping[str, Any]],
) -> str:
    """The page as a text. `before` are the rows per table of the release before, empty for the first one."""
    documents = list(store.row_dicts(columns["documents"]))
    diagnostics = list(store.row_dicts(columns["diagnostics"]))
    parts = [
        f"<h1>Validation of release {escape(edition)}</h1>",
        _summary(documents, diagnostics, results),
        '<nav><a href="#documents">Documents</a><a href="#tables">Tables</a>'
        '<a href="#diagnostics">Diagnostics</a><a href="#expectations">Expectations</a></nav>',
        _documents(documents),
        _tables(rows, before),
        _diagnostics(diagnostics, {row["document_id"]: row["path"] for row in documents}),
        _expectations(results),
    ]
    title = f"Validation of release {escape(edition)}"
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>"
    )
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        marked = (
            f"<{tag}{' class=n' if place in numbers else ' class=wrap'}>{cell}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    lines = [row(header, "th"), *(row(cells, "td") for cells in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _summary(
    documents: Sequence[Mapping[str, Any]],
    diagnostics: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
) -> str:
    states = Counter(row["status"] for row in documents)
    severities = Counter(row["severity"] for row in diagnostics)
    failed = sum(1 for result in results if result["failures"])
    kept = [row for row in documents if row["status"] != "rejected"]
    characters = sum(row["characters"] for row in kept)
    claimed = sum(row["characters_claimed"] for row in kept)
    share = f"{claimed / characters:.2%}" if characters else "none"
    return (
        f"<p>{_number(len(documents))} documents: {_number(states['read'])} read, "
        f"{_number(states['partly-read'])} partly read, {_number(states['rejected'])} rejected. "
        f"{share} of the characters were understood. "
        f"{_counted(severities['error'], 'error')}, {_counted(severities['warning'], 'warning')}; "
        f"{_number(len(results))} expectations, {_number(failed)} of them with findings, none that stops a release.</p>"
    )


def _counted(count: int, severity: str) -> str:
    return f"<span class={severity if count else 'fine'}>{_number(count)} {severity}{'' if count == 1 else 's'}</span>"


def _documents(documents: Sequence[Mapping[str, Any]]) -> str:
    ranked = sorted(documents, key=lambda row: (row["status"] != "rejected", _coverage(row), row["path"]))
    rows = [
        (
            escape(row["path"] if row["member"] is None else f"{row['path']}!{row['member']}"),
            f'<span class="{_STATUS_CLASS[row["status"]]}">{row["status"]}</span>',
            _number(row["characters"]),
            f"{_coverage(row):.1%}",
            f'<div class=bar><span style="width:{_coverage(row):.1%}"></span></div>',
            _number(row["characters_echo"]),
            _number(row["characters_furniture"]),
        )
        for row in ranked
    ]
    header = ("document", "status", "characters", "understood", "", "echo", "furniture")
    numbers = (2, 3, 5, 6)
    text = f"<h2 id=documents>Documents</h2>\n{_table(header, rows[:SHOWN_DOCUMENTS], numbers)}"
    rest = rows[SHOWN_DOCUMENTS:]
    if rest:
        summary = f"<summary>{_number(len(rest))} more, read at least as well</summary>"
        text += f"\n<details>{summary}\n{_table(header, rest, numbers)}</details>"
    return text


_STATUS_CLASS = {"read": "fine", "partly-read": "warning", "rejected": "error"}


def _coverage(row: Mapping[str, Any]) -> float:
    return float(row["characters_claimed"] / row["characters"]) if row["characters"] else 0.0


def _tables(rows: Mapping[str, int], before: Mapping[str, int]) -> str:
    body = []
    for table, now in rows.items():
        then = before.get(table)
        change = "" if then is None else f"{now - then:+d}" if now != then else "="
        body.append((escape(table), _number(now), "" if then is None else _number(then), change))
    if not before:
        first = "<p>The first release: there is none before to compare it with.</p>"
        return f"<h2 id=tables>Tables</h2>\n{first}\n{_table(('table', 'rows'), [row[:2] for row in body], (1,))}"
    header = ("table", "rows", "last release", "change")
    return f"<h2 id=tables>Tables</h2>\n{_table(header, body, (1, 2, 3))}"


def _diagnostics(diagnostics: Sequence[Mapping[str, Any]], paths: Mapping[str, str]) -> str:
    codes = Counter((row["severity"], row["code"]) for row in diagnostics)
    parts = ["<h2 id=diagnostics>Diagnostics</h2>"]
    for (severity, code), count in sorted(codes.items()):
        found = [row for row in diagnostics if row["code"] == code]
        listed = sorted(found, key=lambda row: (paths.get(row["document_id"], ""), row["line"] or 0))[:SHOWN_PER_CODE]
        rows = [
            (
                escape(_place(row, paths)),
                escape(row["record_id"] or ""),
                # a release without prose has no messages, as they quote
                escape(row.get("message") or ""),
            )
            for row in listed
        ]
        more = f"<p>… and {_number(count - len(listed))} more</p>" if count > len(listed) else ""
        parts.append(
            f"<details><summary><span class={severity}>{severity}</span> <b>{escape(code)}</b> "
            f"{escape(CODES[code].meaning)} <span class=n>{_number(count)}</span></summary>\n"
            f"{_table(('place', 'record', 'message'), rows)}{more}</details>"
        )
    return "\n".join(parts)


def _place(row: Mapping[str, Any], paths: Mapping[str, str]) -> str:
    if row["document_id"] is None:
        return ""
    line = "" if row["line"] is None else f":{row['line']}"
    return f"{paths.get(row['document_id'], row['document_id'])}{line}"


def _expectations(results: Sequence[Mapping[str, Any]]) -> str:
    parts = ["<h2 id=expectations>Expectations</h2>"]
    for table in dict.fromkeys(result["table"] for result in results):
        own = [result for result in results if result["table"] == table]
        rows = [
            (escape(one["says"]), escape(one["code"]), _number(one["rows"]), _failures(one["failures"])) for one in own
        ]
        found = sum(one["failures"] for one in own)
        parts.append(
            f"<details><summary><b>{escape(table)}</b> {len(own)} expectations "
            f"<span class=n>{_failures(found)}</span></summary>\n"
            f"{_table(('what is expected', 'code', 'rows', 'findings'), rows, (2, 3))}</details>"
        )
    return "\n".join(parts)


def _failures(count: int) -> str:
    return f"<span class={'warning' if count else 'fine'}>{_number(count)}</span>"
