"""What a larger vocabulary is worth on a small corpus, and where it has no more to learn.

On the corpus itself bytes per token rise until each pretoken is one token, words and in Chinese whole clauses: the
tokenizer has learned it by heart. On text that it has not seen they stop rising long before. One training is enough for
all sizes, since the first merges of a large vocabulary are those of a small one.

Source: Stanford CS336, lecture 1, which shows the same on 17 KB of its own: 1.00 bytes per token of English that was
kept back with 257 tokens, 2.12 with 600, 2.69 with 1,500 and with 2,000; and 3,000 tokens asked for, of which about
2,960 came about.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom import BpeOptions, Tokenizer
from tokenloom.metrics import longest_tokens
from tokenloom.teaching.corpus import DOCUMENT_END
from tokenloom.teaching.training import trained

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
    """

    rungs: tuple[LadderRung, ...]
    n_corpus_bytes: int
    n_pretokens: int


def vocabulary_ladder(
    corpus: Mapping[str, Sequence[str]],
    tests: Mapping[str, str],
    *,
    sizes: Sequence[int] = LADDER_SIZES,
    special_tokens: Sequence[str] = (DOCUMENT_END,),
) -> VocabularyLadder:
    """Train once, and measure every size on the corpus and on what was kept back.

    Args:
        corpus: texts to train on, by name, such as a language. None of them may be empty.
        tests: texts that were kept back, by name.
        sizes: numbers of tokens in all.
        special_tokens: tokens of the vocabulary that no merge makes.
    Raises: TrainingError for a size below 256 bytes and special tokens.

    >>> from tokenloom.teaching import stories
    >>> corpus = stories()
    >>> ladder = vocabulary_ladder({"english": corpus.english, "chinese": corpus.chinese}, corpus.tests)
    >>> for rung in ladder.rungs[1:]:
    ...     print(rung.n_tokens, f"{rung.train['english']:.2f} {rung.test['english']:.2f}", rung.longest.decode())
    600 2.35 2.33 有一天
    1500 3.53 2.97 非常喜欢和哥哥一起在河边放风筝
    2000 3.53 2.97 非常喜欢和哥哥一起在河边放风筝
    2679 4.04 3.21 小动物们都说小兔子的耳朵是最好的耳朵
    """
    for size in sizes:
        BpeOptions(size, special_tokens)
    texts = [text for part in corpus.values() for text in part]
    training = trained(texts, BpeOptions(max(sizes, default=256 + len(special_tokens)), special_tokens))
    largest = Tokenizer.from_spec(training.spec, special_text="plain")
    pretokens = {pretoken for text in texts for pretoken in largest.pretokens(text)}
    rungs = tuple(_rung(largest, size, corpus, tests, pretokens) for size in sizes)
    return VocabularyLadder(rungs, training.n_bytes, len(pretokens))


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
