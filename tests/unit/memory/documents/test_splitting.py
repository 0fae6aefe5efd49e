"""Documents are cut at their own borders, without losing, doubling or moving anything."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ricordo.language.text import normalise
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.memory.document_cutting import DocumentPart, ExtractSize, cut_document

SMALL = ExtractSize(least=8, most=20, limit=1000)


def count(text: str) -> int:
    """Count words, which is additive over white space as tokens are."""
    return len(text.split())


def seen(text: str) -> str:
    return "".join(text.split())


_texts = st.text(
    st.sampled_from("ab.!?…\"' \n\t#|-*`~0123)È\u2028")
    | st.characters(exclude_categories=["Cs", "Cc"], max_codepoint=0x2FFF),
    max_size=600,
)
_normal = _texts.map(normalise)
_parts = st.lists(
    st.builds(
        DocumentPart,
        text=_normal,
        page=st.none() | st.integers(1, 9),
        section=st.sampled_from(["", "invoice.txt"]),
        headings=st.booleans(),
    ),
    max_size=4,
)


@given(_parts)
@example([DocumentPart(text='He said "Yes." "No," said she. Mr. Brown left.', headings=True)])
@example([DocumentPart(text="```\n# no heading\n\n\ncode\n", headings=True)])
@example([DocumentPart(text="a" * 5000)])
def test_nothing_is_lost_doubled_or_moved(parts: list[DocumentPart]) -> None:
    made = cut_document("report.txt", parts, count, SMALL)
    assert made.whole
    assert seen("".join(one.text for one in made.extracts)) == seen(
        "".join(strip_recalled(part.text) for part in parts)
    )


@given(_parts, st.integers(1, 30), st.integers(0, 40), st.integers(1, 5))
@example([DocumentPart(text=" 00000000")], 1, 0, 1)
@example([DocumentPart(text=" " * 400 + "x")], 1, 0, 1)
def test_sizes_hold(parts: list[DocumentPart], least: int, more: int, limit: int) -> None:
    made = cut_document("report.txt", parts, count, ExtractSize(least, least + more, limit))
    assert len(made.extracts) <= limit
    for one in made.extracts:
        assert one.text.strip()
        assert count(one.text) <= least + more
        assert len(one.text) <= max(64, 8 * (least + more) + 2 * one.text.count("\n\n"))
        assert one.title.startswith("report.txt")


def test_what_is_over_the_limit_is_told() -> None:
    parts = [DocumentPart(text="\n\n".join(f"Paragraph number {n} of a long document." for n in range(50)))]
    made = cut_document("long.txt", parts, count, ExtractSize(5, 8, 10))
    assert (len(made.extracts), made.whole) == (10, False)
    assert cut_document("short.txt", parts, count, ExtractSize(5, 8, 50)).whole


def test_a_page_is_told_and_a_short_one_goes_with_the_next() -> None:
    parts = [
        DocumentPart(text="A title page", page=1),
        DocumentPart(text="The notice period is ninety days, in writing.", page=2),
        DocumentPart(text="Payment is due within thirty days of the invoice.", page=3),
    ]
    made = cut_document("contract.pdf", parts, count, SMALL)
    assert [one.title for one in made.extracts] == ["contract.pdf, p. 1-2", "contract.pdf, p. 3"]


def test_a_heading_stands_with_what_it_heads() -> None:
    text = (
        "# Contract\n\nBetween the two parties that are named at the end of it.\n\n"
        "## Payment\n\nThirty days.\n\n## Notice\n\nNinety days."
    )
    made = cut_document("contract.md", [DocumentPart(text=text, headings=True)], count, SMALL)
    assert [(one.title, one.text.split("\n")[0]) for one in made.extracts] == [
        ("contract.md, Contract", "# Contract"),
        ("contract.md, Payment", "## Payment"),
    ]
    assert made.extracts[-1].text.endswith("## Notice\n\nNinety days.")


def test_a_list_is_divided_between_its_lines_and_prose_between_its_sentences() -> None:
    rows = "\n".join(f"- item {n} costs {n} euros. Cheap." for n in range(10))
    for one in cut_document("list.md", [DocumentPart(text=rows)], count, SMALL).extracts:
        assert all(line.startswith("- item") and line.endswith("Cheap.") for line in one.text.split("\n"))
    prose = "The report of sig. Rossi\nis long.\nIt ends\nlate in the night.\n" * 5
    for one in cut_document("wrapped.txt", [DocumentPart(text=prose)], count, SMALL).extracts:
        assert one.text.startswith(("The", "It"))
        assert one.text.endswith(".")
        assert not one.text.endswith("sig.")


@pytest.mark.parametrize(
    ("name", "shown"), [("  ", "document"), ("a\nb.txt", "a b.txt"), ("n" * 300, "n" * 119 + "…")]
)
def test_a_name_is_shown_on_one_line(name: str, shown: str) -> None:
    assert [one.title for one in cut_document(name, [DocumentPart(text="words")], count).extracts] == [shown]


@pytest.mark.parametrize("sizes", [(0, 1, 1), (2, 1, 1), (1, 1, 0)])
def test_sizes_that_cannot_be_kept_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no sensible sizes"):
        ExtractSize(*sizes)
