"""From FLOPs and tokens to time, money and text: how long, how much, and how many bytes that is.

Prices are in whatever currency they are given in: a price list would be wrong before it is read.
"""

from typing import Final

from tokenloom.cost.checks import check_positive, check_share, check_whole
from tokenloom.cost.hardware import Accelerator

__all__ = [
    "CHINCHILLA_TOKENS",
    "chinchilla_tokens",
    "decoding_seconds",
    "rent",
    "text_bytes",
    "token_price",
    "training_seconds",
]

CHINCHILLA_TOKENS: Final = 20
"""Training tokens a parameter at which a training of fixed FLOPs ends with the lowest loss, about."""
_HOUR: Final = 3600


def training_seconds(
    n_flops: float, *, accelerator: Accelerator, n_accelerators: int = 1, utilisation: float, dtype: str = "bf16"
) -> float:
    """FLOPs divided by what the accelerators really do in a second.

    Args:
        n_flops: of the whole training, such as `training_flops` gives.
        accelerator: gives the peak, without sparsity.
        n_accelerators: how many work at once.
        utilisation: share of the peak that is reached, above 0 and up to 1; 0.4 is common.
        dtype: number type of the matrices.
    Raises: CostError for numbers out of their range, or a type that the accelerator has no peak for.

    >>> from tokenloom.cost import accelerator, training_flops
    >>> work = training_flops(70e9, 1e12)
    >>> round(training_seconds(work, accelerator=accelerator("b200"), utilisation=1.0) / 86_400 / 365, 1)
    5.9
    >>> many = training_seconds(work, accelerator=accelerator("b200"), n_accelerators=1000, utilisation=0.4)
    >>> round(many / 86_400, 1)
    5.4
    >>> work = training_flops(175e9, 300e9)
    >>> gpt3 = training_seconds(work, accelerator=accelerator("a100-80gb"), n_accelerators=1024, utilisation=0.5)
    >>> round(gpt3 / 86_400)
    23
    """
    check_positive(n_flops, "n_flops")
    check_whole(n_accelerators, "n_accelerators")
    check_share(utilisation, "utilisation")
    return n_flops / (accelerator.peak_flops(dtype) * n_accelerators * utilisation)


def decoding_seconds(n_bytes: float, *, accelerator: Accelerator) -> float:
    """The least time of a generated token: all weights and the cache are read from memory once.

    Args:
        n_bytes: weights, and keys and values of the text so far. Sequences that run together share the weights.
        accelerator: gives the bandwidth of its memory; one of them holds all.
    Source: Pope et al. 2022, "Efficiently Scaling Transformer Inference".

    >>> from tokenloom.cost import accelerator
    >>> f"{decoding_seconds(16.06e9, accelerator=accelerator('h100')) * 1e3:.1f} ms"
    '4.8 ms'
    """
    check_positive(n_bytes, "n_bytes")
    return n_bytes / accelerator.bandwidth_bytes


def chinchilla_tokens(n_parameters: float) -> float:
    """Tokens for a training of the lowest loss at its FLOPs: 20 a parameter. Serving is not in it: smaller is cheaper.

    Source: Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models".

    >>> chinchilla_tokens(70e9) / 1e12, chinchilla_tokens(1.4e9) / 1e9
    (1.4, 28.0)
    >>> f"{text_bytes(chinchilla_tokens(70e9), bytes_per_token=4.4) / 1e9:,.0f} GB"
    '6,160 GB'
    """
    check_positive(n_parameters, "n_parameters")
    return CHINCHILLA_TOKENS * n_parameters


def text_bytes(n_tokens: float, *, bytes_per_token: float) -> float:
    """Bytes of text that this many tokens hold, such as a context or a training.

    >>> text_bytes(1024, bytes_per_token=1.0), round(text_bytes(1024, bytes_per_token=4.4))
    (1024.0, 4506)
    """
    check_positive(n_tokens, "n_tokens")
    check_positive(bytes_per_token, "bytes_per_token")
    return n_tokens * bytes_per_token


def rent(seconds: float, *, n_accelerators: int, price_per_hour: float) -> float:
    """Price of accelerators for a time: hours x accelerators x price of one for an hour.

    >>> rent(90_000, n_accelerators=1000, price_per_hour=4.0)
    100000.0
    """
    check_positive(seconds, "seconds")
    check_whole(n_accelerators, "n_accelerators")
    check_positive(price_per_hour, "price_per_hour")
    return seconds / _HOUR * n_accelerators * price_per_hour


def token_price(n_tokens: float, *, price_per_million: float) -> float:
    """Price of tokens where a million of them has one.

    >>> token_price(25_000, price_per_million=2.0)
    0.05
    """
    check_positive(n_tokens, "n_tokens")
    check_positive(price_per_million, "price_per_million")
    return n_tokens * price_per_million / 1e6
