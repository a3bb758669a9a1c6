r"""Words as tokens: a dictionary of the commonest words, and what it does to all others.

Text is cut by `\w+|.`: a run of word characters, or any one other character. The dot leaves out ends of lines unless
DOTALL is set, and `findall` does not say so: the text that comes back has none.

The dictionary is never complete. A name, a misspelt word, a number that the corpus does not have becomes `<unk>`, and
what it was is lost. A language model that has to guess `<unk>` has an easy task, so its perplexity says little. And
where words are not written apart, as in Chinese, a clause is a word, and nearly every clause is new.

Source: Stanford CS336, lecture 1, tokenization by words; Li, LLM Systems (CMU 11-868), lecture 8, `build_word_dict`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence


def split_words(text: str, *, dot_matches_newline: bool = True) -> list[str]:
    r"""Words and single other characters; needs the `regex` module, whose version fixes the version of Unicode.

    >>> split_words("I'll say supercalifragilisticexpialidocious!")
    ['I', "'", 'll', ' ', 'say', ' ', 'supercalifragilisticexpialidocious', '!']
    >>> split_words("我爱自然语言处理")
    ['我爱自然语言处理']
    >>> "".join(split_words("one\ntwo", dot_matches_newline=False))   # the end of the line is gone
    'onetwo'
    """
    import regex  # type: ignore[import-untyped]

    flags = regex.DOTALL if dot_matches_newline else 0
    words: list[str] = regex.findall(r"\w+|.", text, flags=flags)
    return words


def is_number(word: str) -> bool:
    r"""Whether all characters of a word are numbers, as Unicode has it: `\p{N}`.

    >>> is_number("2048"), is_number("3rd"), is_number("Ⅷ")
    (True, False, True)
    """
    import regex

    return regex.fullmatch(r"\p{N}+", word) is not None


def build_word_dict(
    words: Iterable[str], *, max_size: int, unk: str = "[UNK]", number: str | None = None, min_count: int = 1
) -> list[str]:
    """The tokens in the order of ids: `unk`, `number` if there is one, then words from the commonest on.

    Of equally frequent words the one with the smaller bytes comes first. Numbers are all one token if they have one.

    >>> build_word_dict("a b a 7 c 8 b a".split(), max_size=4, number="[number]")
    ['[UNK]', '[number]', 'a', 'b']
    """
    fixed = [unk] if number is None else [unk, number]
    counts = Counter(word for word in words if number is None or not is_number(word))
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))
    return (fixed + [word for word, count in common if count >= min_count])[:max_size]


def encode(words: Iterable[str], tokens: Sequence[str], *, number: str | None = None) -> list[int]:
    """The ids of words; the first token stands for those that are not there.

    >>> encode(["a", "12", "x"], ["[UNK]", "[number]", "a"], number="[number]")
    [2, 1, 0]
    """
    ids = {token: token_id for token_id, token in enumerate(tokens)}
    return [ids[number] if number and word not in ids and is_number(word) else ids.get(word, 0) for word in words]


def decode(ids: Iterable[int], tokens: Sequence[str]) -> str:
    """The tokens joined: nothing stands between them, since blanks are tokens too.

    >>> decode([1, 2, 0], ["<unk>", "the", " "])
    'the <unk>'
    """
    return "".join(tokens[token_id] for token_id in ids)
