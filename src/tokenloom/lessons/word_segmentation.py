"""Cutting text that has no blanks between words: of all ways to cut it, the most probable one.

In Chinese a dictionary alone does not decide: 南京市长江大桥 is a bridge over the Yangtze
(南京市/长江/大桥), or the mayor of Nanjing with the name 江大桥 (南京/市长/江大桥). If words come one after the
other with the probabilities of their frequencies, each cut has a probability, and its logarithm is the sum of those of
its words. A character that no word has stands by itself, as a word that occurs once.

This goes through all cuts, of which there may be as many as there are subsets of places. `tokenloom.WordSegmenter`
keeps the best few of each rest of the text, which is all that can ever be part of the best few of the whole (Viterbi).

Source: Stanford CS336, lecture 1, section 9.2, for the bridge; Sproat, Shih, Gale and Chang 1996, "A Stochastic
Finite-State Word-Segmentation Algorithm for Chinese".
"""

from collections.abc import Mapping
from math import log


def all_cuts(text: str, frequencies: Mapping[str, float]) -> list[tuple[float, list[str]]]:
    """All ways to cut a text, the most probable first, each with the logarithm of its probability.

    Of equally probable ones that with the longer first word comes first, then that whose rest comes first.

    >>> words = {"南京市": 8, "南京": 20, "市长": 9, "长江": 30, "大桥": 12, "江大桥": 1}
    >>> for score, cut in all_cuts("南京市长江大桥", words)[:2]:
    ...     print(f"{score:.2f}", "/".join(cut))
    -5.18 南京市/长江/大桥
    -7.95 南京/市长/江大桥
    """
    total = sum(frequencies.values())
    if not text:
        return [(0.0, [])]
    cuts: list[tuple[float, int, int, list[str]]] = []
    for length in range(1, len(text) + 1):
        word = text[:length]
        frequency = frequencies.get(word, 1 if length == 1 else 0)
        if frequency:
            for rank, (score, rest) in enumerate(all_cuts(text[length:], frequencies)):
                cuts.append((log(frequency / total) + score, length, rank, [word, *rest]))
    cuts.sort(key=lambda cut: (-cut[0], -cut[1], cut[2]))
    return [(score, words) for score, _, _, words in cuts]
