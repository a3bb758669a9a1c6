import pytest

from tokenloom.errors import FormatError
from tokenloom.formats.patterns import ambiguity, hf_pattern, pretokenizer_of, regex_pretokenizer
from tokenloom.spec import Pretokenizer


@pytest.mark.parametrize(
    "regex",
    [
        r"\p{N}{1,3}",
        r"[^\r\n\p{L}\p{N}]?\p{L}+| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s+(?!\S)|\s+",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|'(?i:[sdmt]|ll|ve|re)",
        r"a++|b?+|c*+|d+?|e{2}|f{2,}|(?:g)|(?=h)|(?!i)|(?<=j)|(?<!k)|\A.|\z|\-\.",
        "[一-龥]|ü|\U0001f680",
        r"[\p{Lu}\-\]]",
    ],
)
def test_patterns_of_published_files_mean_the_same_in_both_engines(regex: str) -> None:
    assert ambiguity(regex) is None


@pytest.mark.parametrize(
    ("regex", "part"),
    [
        (r"a$", "$"),
        (r"a|^b", "^b"),
        (r"\p{N}{1,3}+", "{1,3}+"),
        (r"a{2}?", "{2}?"),
        (r"\w", r"\w"),
        (r"a\b", r"\b"),
        (r"\Z", r"\Z"),
        (r"\h+", r"\h+"),
        (r"(?i:ss)", "(?i:ss)"),
        (r"(?i)a", "(?i)a"),
        (r"(?m:a)", "(?m:a)"),
        (r"[a[b]]", "[a[b]]"),
        (r"[a&&b]", "[a&&b]"),
        (r"[[:alpha:]]", "[[:alpha:]]"),
        (r"[\w]", r"[\w]"),
        (r"(a)\1", r"\1"),
        (r"a{", "{"),
        (r"(?<n>a)", "(?<n>a)"),
    ],
)
def test_the_first_part_that_may_be_read_otherwise_is_named(regex: str, part: str) -> None:
    assert ambiguity(regex) == part


def test_a_name_is_no_regular_expression_in_a_file() -> None:
    assert pretokenizer_of("o200k", place="x") == Pretokenizer("o200k")
    assert regex_pretokenizer("o200k", place="x") == Pretokenizer("custom", regex="o200k")
    given = Pretokenizer("cl100k", digits=1)
    assert pretokenizer_of(given, place="x") is given


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("o300k", "x: 'o300k' is no name of a pattern. Use 'o200k', or a regular expression"),
        ("GPT2", "x: 'GPT2' is no name of a pattern. Use 'gpt2'"),
        ("cl100k-base", "Use 'cl100k'"),
        ("cl100k_base", "Use 'cl100k'"),
        ("custom", "Use one of 'gpt2', 'cl100k', .*, 'none', or a regular"),
        ("a" * 10_000, r"x: 'a{200}'\.\.\. \(10,000 characters\) is no name"),
        (None, "x: pattern None is of type NoneType. Pass a name"),
    ],
)
def test_what_can_only_be_a_mistyped_name_is_refused_with_the_nearest(pattern: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        pretokenizer_of(pattern, place="x")


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_text_of_cl100k_for_other_libraries_is_known_again(digits: int) -> None:
    text = hf_pattern(Pretokenizer("cl100k", digits=digits))
    assert ambiguity(text) is None
    assert regex_pretokenizer(text, place="x") == Pretokenizer("cl100k", digits=digits)
