"""Floating-point operations of a decoder: what a token takes, what a byte of text takes, what a training takes.

A multiplication and an addition are two FLOPs, so a matrix takes two for each of its parameters and each token. The
backward pass takes twice the forward pass (Kaplan et al. 2020, "Scaling Laws for Neural Language Models").
"""

from collections.abc import Mapping
from typing import Final

from tokenloom.cost.checks import check_positive, check_whole
from tokenloom.cost.shapes import ModelShape
from tokenloom.errors import CostError

__all__ = [
    "TRAINING_PASSES",
    "attention_flops",
    "attention_growth",
    "attention_ratio",
    "body_flops",
    "cheapest_vocabulary",
    "flops_per_byte",
    "forward_flops",
    "head_flops",
    "training_flops",
]

TRAINING_PASSES: Final = 3
"""A training step takes this many times the FLOPs of the forward pass: one forward, two backward."""


def body_flops(shape: ModelShape) -> int:
    """FLOPs of the matrices between embedding and head, a token, forward: 2 x their parameters.

    24 d² a layer for a plain decoder. Looking up a row of the embedding takes none.

    >>> from tokenloom.cost import plain_decoder
    >>> body_flops(plain_decoder(n_layers=12, width=1024, vocabulary_size=2000))
    301989888
    """
    return 2 * shape.body_matrix_parameters


def head_flops(shape: ModelShape) -> int:
    """FLOPs of the scores of all tokens, a token, forward: 2 d V, whether the head is tied or not.

    >>> from tokenloom.cost import plain_decoder
    >>> head_flops(plain_decoder(n_layers=12, width=1024, vocabulary_size=2000))
    4096000
    """
    return 2 * shape.width * shape.vocabulary_size


def attention_flops(shape: ModelShape, *, attended_tokens: float) -> float:
    """FLOPs of attention itself, a token, forward: 4 L d a layer, for scores and for weighted values.

    Args:
        shape: the model; d is what all heads have together. Layers without growing keys and values count nothing.
        attended_tokens: tokens that this one looks at, L. The last one of a text looks at all of it, and so does every
            one where the mask is applied afterwards; the average under a causal mask is half of the text.

    >>> from tokenloom.cost import plain_decoder
    >>> attention_flops(plain_decoder(n_layers=1, width=768, vocabulary_size=1), attended_tokens=1024)
    3145728
    """
    if attended_tokens != 0:
        check_positive(attended_tokens, "attended_tokens")
    return 4 * attended_tokens * shape.n_heads * shape.head_width * shape.cached_layers


def forward_flops(shape: ModelShape, *, attended_tokens: float = 0) -> float:
    """FLOPs of a token, forward: body, head and attention; about 2 N for N parameters and short texts.

    Args:
        shape: the model.
        attended_tokens: as for `attention_flops`; 0 leaves attention out.
    """
    return body_flops(shape) + head_flops(shape) + attention_flops(shape, attended_tokens=attended_tokens)


def attention_ratio(shape: ModelShape, *, n_tokens: int) -> float:
    """Attention beside the matrices of the body: FLOPs of the one divided by those of the other.

    L / 6d for a plain decoder: 4 L d over 24 d². It is no share of the whole, which would be r / (1 + r).

    >>> from tokenloom.cost import model_shape
    >>> round(attention_ratio(model_shape("gpt2"), n_tokens=1024), 2)
    0.22
    >>> round(attention_ratio(model_shape("gpt-3"), n_tokens=2048), 3)
    0.028
    """
    check_whole(n_tokens, "n_tokens")
    return attention_flops(shape, attended_tokens=n_tokens) / body_flops(shape)


def attention_growth(length_ratio: float) -> float:
    """How many times the attention of a whole text grows when it has this many times the tokens: the square.

    >>> round(attention_growth(4.4)), round(attention_growth(4))
    (19, 16)
    >>> round(attention_growth(209 / 106), 1)
    3.9
    """
    check_positive(length_ratio, "length_ratio")
    return length_ratio**2


def flops_per_byte(shape: ModelShape, *, bytes_per_token: float, attended_tokens: float = 0) -> float:
    """FLOPs of a byte of text, forward: those of a token divided by its bytes.

    A larger vocabulary makes more of a token (the head grows) and fewer tokens of a text.

    Args:
        shape: the model, with the vocabulary of the tokenizer that was measured.
        bytes_per_token: what the tokenizer makes of the text, above 0.
        attended_tokens: as for `attention_flops`.

    >>> from tokenloom.cost import plain_decoder
    >>> shape = plain_decoder(n_layers=12, width=1024, vocabulary_size=2000)
    >>> round(flops_per_byte(shape, bytes_per_token=1 / 0.40) / 1e6, 1)
    122.4
    >>> round(flops_per_byte(shape.with_vocabulary(4000), bytes_per_token=1 / 0.35) / 1e6, 1)
    108.6
    """
    check_positive(bytes_per_token, "bytes_per_token")
    return forward_flops(shape, attended_tokens=attended_tokens) / bytes_per_token


def cheapest_vocabulary(shape: ModelShape, bytes_per_token: Mapping[int, float], *, attended_tokens: float = 0) -> int:
    """The vocabulary size at which a byte of text takes the fewest FLOPs; of equal ones the smallest.

    The larger the body, the more a shorter text is worth, so the larger the size. FLOPs are all that this looks at:
    rare tokens are learned badly, however cheap they are.

    Args:
        shape: the model; its own vocabulary does not matter.
        bytes_per_token: what tokenizers of these sizes make of one text.
        attended_tokens: as for `attention_flops`.
    Raises: CostError if there is no size.

    >>> from tokenloom.cost import plain_decoder
    >>> measured = {2000: 2.5, 4000: 2.9, 8000: 3.2, 16_000: 3.4}
    >>> [cheapest_vocabulary(plain_decoder(n_layers=n, width=d, vocabulary_size=1), measured)
    ...  for n, d in ((2, 256), (8, 512), (24, 2048))]
    [2000, 8000, 16000]
    """
    if not bytes_per_token:
        raise CostError("bytes_per_token: there is no size to choose from. Pass bytes per token by vocabulary size.")

    def cost_of(size: int) -> float:
        sized = shape.with_vocabulary(size)
        return flops_per_byte(sized, bytes_per_token=bytes_per_token[size], attended_tokens=attended_tokens)

    return min(sorted(bytes_per_token), key=cost_of)


def training_flops(n_parameters: float, n_tokens: float) -> float:
    """FLOPs of a training: 6 N D, two forward and four backward for each parameter and token.

    A rule of thumb: attention is left out, and the embedding, which takes none, is in N. `forward_flops` times
    `TRAINING_PASSES` counts both rightly. For a model of experts N is what a token passes.

    Args:
        n_parameters: N.
        n_tokens: D, each time that a token is read.
    Source: Kaplan et al. 2020, "Scaling Laws for Neural Language Models".

    >>> f"{training_flops(175e9, 300e9):.3g}"
    '3.15e+23'
    """
    check_positive(n_parameters, "n_parameters")
    check_positive(n_tokens, "n_tokens")
    return 6 * n_parameters * n_tokens
