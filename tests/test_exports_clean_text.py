import pytest

from pipeline.exports import clean_text


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("one<br><br>two", "one\ntwo"),
        ("one<br/>two", "one\ntwo"),
        ("<b>Every model</b> has: a; b.", "Every model has: a; b."),
        ('While <span class="kwb">ASHEN</span> <span class="kwb">COMPACT</span> is', "While ASHEN COMPACT is"),
        ("Pick:<ul><li>a</li><li>b</li></ul>After", "Pick:\n- a\n- b\nAfter"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><li>never closed<li>nor this", "- never closed\n- nor this"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<table><tr><td>D6</td><td>Result</td></tr><tr><td>1</td><td>Ash</td></tr></table>", "D6 | Result\n1 | Ash"),
        ("Ash &amp;amp; Coil &nbsp; x", "Ash &amp; Coil x"),
        ('Range < 12" and > 6"', 'Range < 12" and > 6"'),
        ("each time<l> this model", "each time this model"),
        ("a<!-- <b>hidden</b> -->b", "ab"),
        ("first\nsecond", "first\nsecond"),
        ("first\r\nsecond\rthird", "first\nsecond\nthird"),
        ("  two   spaces ", "two spaces"),
        ("BRE\u0302KK", "BRÊKK"),
        ("", ""),
        ("<br>", ""),
    ],
)
def test_html(field: str, expected: str) -> None:
    assert clean_text.plain(field) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("**ASHEN** has [**COIL 1**].", "ASHEN has [COIL 1]."),
        ("*As if **it** knew.* Then", "As if it knew. Then"),
        ("* These cannot be taken on one model.", "* These cannot be taken on one model."),
        ("1-2 Brindle Quads*", "1-2 Brindle Quads*"),
        ("a following list:* b", "a following list:* b"),
        ("Lead:  ■ **ASH GUARD** ■ **COIL GUARD**", "Lead:\n- ASH GUARD\n- COIL GUARD"),
        ("One of: ◦ 1 coil lance ◦ 1 ember pistol", "One of:\n- 1 coil lance\n- 1 ember pistol"),
        ("■ a\n◦ b\n■ c", "- a\n  - b\n- c"),
        ("units: \r<ul><li>Have +2.</li>\r<li>Fly.</li></ul>\rEnd", "units:\n- Have +2.\n- Fly.\nEnd"),
        ("<ul><li /></ul>\n▪ Ash.", "- Ash."),
        ("a stated <move type> of up to X", "a stated move type of up to X"),
        ("- Must ash.", "- Must ash."),
    ],
)
def test_markdown(field: str, expected: str) -> None:
    assert clean_text.plain_markdown(field) == expected


def test_bullets_are_the_choices() -> None:
    assert clean_text.bullets("One of:\n- 1 coil lance\n  - 1 ember pistol\nor none") == (
        "1 coil lance",
        "1 ember pistol",
    )


def test_a_name_keeps_its_letters() -> None:
    assert clean_text.name(" T’au  Hauler ") == "T’au Hauler"
