"""What a larger vocabulary is worth on a small corpus, and where it has no more to learn.

On the corpus itself bytes per token rise until each pretoken is one token, words and in Chinese whole clauses: the
tokenizer has learned it by heart. On text that it has not seen they rise less, and less again with each size. One
training is enough for all sizes, since the first merges of a large vocabulary are those of a small one.

In a corpus of several languages a curve may stand still for another reason. Of the stories all merges from 1,500 tokens
to 2,000 have a pair that occurs once. Of equals the one of the greater bytes comes first, so all 500 are Chinese, and
English gains nothing in them, in training as little as in the test; its own come after the last Chinese one. What a
vocabulary is worth for a language is seen where that is trained by itself: `VocabularyLadder.apart`.

Source: Stanford CS336, lecture 1, which shows the same on 17 KB of its own: 1.00 bytes per token of English that was
kept back with 257 tokens, 2.12 with 600, 2.69 with 1,500 and with 2,000; and 3,000 tokens asked for, of which about
2,960 came about.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from tokenloom import BpeOptions, Tokenizer, TrainingError
from tokenloom.metrics import longest_tokens
from tokenloom.teaching.corpus import DOCUMENT_END
from tokenloom.teaching.training import trained
from tokenloom.wording import quoted

__all__ = ["LADDER_SIZES", "LadderRung", "VocabularyLadder", "vocabulary_ladder"]

LADDER_SIZES: Final = (257, 600, 1500, 2000, 3000)


@dataclass(frozen=True, slots=True)
class LadderRung:
    """One size of the vocabulary.

    Args:
        vocab_size: the tokens that were asked for, special tokens among them.
        n_tokens: the tokens that there are: fewer where the corpus has no pair left.
        train: bytes per token of the texts that were trained on, by name.
        test: bytes per token of texts that were kept back, by name.
        n_whole_pretokens: how many of the distinct pretokens of the corpus are one token.
        longest: the longest token that a merge makes; `b""` without merges.
    """

    vocab_size: int
    n_tokens: int
    train: Mapping[str, float]
    test: Mapping[str, float]
    n_whole_pretokens: int
    longest: bytes

    @property
    def ended_early(self) -> bool:
        """Whether the corpus had too few merges."""
        return self.n_tokens < self.vocab_size


@dataclass(frozen=True, slots=True)
class VocabularyLadder:
    """Vocabularies of rising size, all of one corpus.

    Args:
        rungs: one for each size, in the order that was asked for.
        n_corpus_bytes: the size of the corpus.
        n_pretokens: how many distinct pretokens it has.
        apart: by name, the rungs of a training on that part of the corpus alone, with its own test.
    """

    rungs: tuple[LadderRung, ...]
    n_corpus_bytes: int
    n_pretokens: int
    apart: Mapping[str, tuple[LadderRung, ...]]


def vocabulary_ladder(
    corpus: Mapping[str, Sequence[str]],
    tests: Mapping[str, str],
    *,
    sizes: Sequence[int] = LADDER_SIZES,
    special_tokens: Sequence[str] = (DOCUMENT_END,),
) -> VocabularyLadder:
    """Measure every size on the corpus and on what was kept back, after one training on all, and one on each part.

    Args:
        corpus: texts to train on, by name, such as a language. None of them may be empty.
        tests: texts that were kept back, by name.
        sizes: numbers of tokens in all.
        special_tokens: tokens of the vocabulary that no merge makes.
    Raises: TrainingError for a size below 256 bytes and special tokens, for a part or a test without text, and for one
        text in the place of many.

    >>> from tokenloom.teaching import stories
    >>> corpus = stories()
    >>> ladder = vocabulary_ladder({"english": corpus.english, "chinese": corpus.chinese}, corpus.tests)
    >>> for rung in ladder.rungs[1:]:
    ...     print(rung.n_tokens, f"{rung.train['english']:.2f} {rung.test['english']:.2f}", rung.longest.decode())
    600 2.35 2.33 有一天
    1500 3.53 2.97 非常喜欢和哥哥一起在河边放风筝
    2000 3.53 2.97 非常喜欢和哥哥一起在河边放风筝
    2679 4.04 3.21 小动物们都说小兔子的耳朵是最好的耳朵
    >>> for rung in ladder.apart["chinese"][1:4]:
    ...     print(rung.n_tokens, f"{rung.train['chinese']:.2f} {rung.test['chinese']:.2f}")
    600 3.25 2.91
    1500 10.00 3.76
    1574 11.74 3.84
    """
    for size in sizes:
        BpeOptions(size, special_tokens)  # refuses what is too small: training is only asked for the largest
    for name, texts in corpus.items():
        _check_part(f"corpus {quoted(name)}", texts)
    for name, test in tests.items():
        _check_part(f"test {quoted(name)}", [test])
    whole = _climbed(corpus, tests, sizes, special_tokens)
    apart = {}
    for name, texts in corpus.items():
        own_tests = {name: tests[name]} if name in tests else {}
        apart[name] = _climbed({name: texts}, own_tests, sizes, special_tokens).rungs
    return replace(whole, apart=MappingProxyType(apart))


def _check_part(place: str, texts: Sequence[str]) -> None:
    if isinstance(texts, (str, bytes)):
        raise TrainingError(f"{place}: {quoted(texts)} is one text in the place of many. Pass a list of texts.")
    if not any(texts):
        raise TrainingError(f"{place}: has no text, and so no bytes per token. Leave it out, or pass a text.")


def _climbed(
    corpus: Mapping[str, Sequence[str]], tests: Mapping[str, str], sizes: Sequence[int], special_tokens: Sequence[str]
) -> VocabularyLadder:
    """The ladder of one training, without the parts apart."""
    texts = [text for part in corpus.values() for text in part]
    training = trained(texts, BpeOptions(max(sizes, default=256 + len(special_tokens)), special_tokens))
    largest = Tokenizer.from_spec(training.spec, special_text="plain")
    pretokens = {pretoken for text in texts for pretoken in largest.pretokens(text)}
    rungs = tuple(_rung(largest, size, corpus, tests, pretokens) for size in sizes)
    return VocabularyLadder(rungs, training.n_bytes, len(pretokens), MappingProxyType({}))


def _rung(
    largest: Tokenizer,
    vocab_size: int,
    corpus: Mapping[str, Sequence[str]],
    tests: Mapping[str, str],
    pretokens: Iterable[bytes],
) -> LadderRung:
    tokenizer = largest.truncated(vocab_size) if vocab_size < len(largest) else largest
    merged = {token_id: left + right for token_id, (left, right) in enumerate(tokenizer.merges)}
    return LadderRung(
        vocab_size,
        len(tokenizer),
        {name: _bytes_per_token(tokenizer, texts) for name, texts in corpus.items()},
        {name: _bytes_per_token(tokenizer, [text]) for name, text in tests.items()},
        sum(tokenizer.count(pretoken) == 1 for pretoken in pretokens),
        next(iter(longest_tokens(merged, n=1).values()), b""),
    )


def _bytes_per_token(tokenizer: Tokenizer, texts: Sequence[str]) -> float:
    return sum(len(text.encode()) for text in texts) / sum(map(tokenizer.count, texts))
