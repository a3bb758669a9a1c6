"""Several tokenizers on one model, side by side: a line a quantity, a value a tokenizer.

The comparison that matters is of the same text: what a larger vocabulary takes in its two tables, and what it saves
because the text has fewer tokens. What needs a text is undefined for a tokenizer that was not measured on one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tokenloom.cost import budgets, flops, memory
from tokenloom.cost.checks import check_positive, check_share, check_whole
from tokenloom.cost.figures import Kind, show_figure
from tokenloom.cost.hardware import Accelerator
from tokenloom.cost.shapes import ModelShape
from tokenloom.errors import CostError

__all__ = ["CostLine", "CostPlan", "TokenizerText", "cost_lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPlan:
    """What the model is to do.

    Args:
        context_tokens: length of a text in tokens; None for the longest that the model takes.
        n_sequences: texts at once, for scores and cache.
        dtype: number type of weights, keys and values, and of the computation.
        logits_dtype: number type of the scores.
        accelerator: what it runs on; None for no times.
        n_accelerators, utilisation: how many train, and the share of their peak that is reached.
        training_tokens, training_bytes: how much text the training reads, one of the two, or neither for 20 tokens a
            parameter. Only bytes are the same text for all tokenizers.
        price_per_hour: of an accelerator; None for no price.
        price_per_million: of a million tokens; None for no price.
    Raises: CostError for figures out of their range, or that do not go together.
    """

    context_tokens: int | None = None
    n_sequences: int = 1
    dtype: str = "bf16"
    logits_dtype: str = "fp32"
    accelerator: Accelerator | None = None
    n_accelerators: int = 1
    utilisation: float = 0.4
    training_tokens: float | None = None
    training_bytes: float | None = None
    price_per_hour: float | None = None
    price_per_million: float | None = None

    def __post_init__(self) -> None:
        for field in ("n_sequences", "n_accelerators"):
            check_whole(getattr(self, field), field)
        if self.context_tokens is not None:
            check_whole(self.context_tokens, "context_tokens")
        check_share(self.utilisation, "utilisation")
        for field in ("training_tokens", "training_bytes", "price_per_hour", "price_per_million"):
            if getattr(self, field) is not None:
                check_positive(getattr(self, field), field)
        for dtype in (self.dtype, self.logits_dtype):
            memory.number_bytes(dtype)
        if self.training_tokens is not None and self.training_bytes is not None:
            raise CostError("training_tokens and training_bytes: each says how much is read. Give one of the two.")
        if self.price_per_hour is not None and self.accelerator is None:
            raise CostError("price_per_hour: there is no hardware that could be paid for. Name the hardware too.")
        if self.accelerator is not None:
            self.accelerator.peak_flops(self.dtype)


@dataclass(frozen=True, slots=True)
class TokenizerText:
    """A tokenizer as far as costs go, and what it made of a text.

    Args:
        name: what it is called.
        vocabulary_size: rows that a model needs for it.
        n_tokens, n_bytes: of the text; None for both if there was none.
    Raises: CostError for numbers that are not above 0, or one of the two alone.
    """

    name: str
    vocabulary_size: int
    n_tokens: int | None = None
    n_bytes: int | None = None

    def __post_init__(self) -> None:
        check_whole(self.vocabulary_size, f"tokenizer {self.name!r}, vocabulary_size")
        if (self.n_tokens is None) != (self.n_bytes is None):
            raise CostError(f"tokenizer {self.name!r}: has tokens or bytes of a text alone. Give both, or neither.")
        if self.n_tokens is not None and self.n_bytes is not None:
            check_whole(self.n_tokens, f"tokenizer {self.name!r}, n_tokens")
            check_whole(self.n_bytes, f"tokenizer {self.name!r}, n_bytes")

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text divided by its tokens; None without a text.

        >>> TokenizerText("a", 300, n_tokens=25, n_bytes=109).bytes_per_token
        4.36
        """
        return None if self.n_tokens is None or self.n_bytes is None else self.n_bytes / self.n_tokens


@dataclass(frozen=True, slots=True)
class CostLine:
    """One quantity for all tokenizers.

    Args:
        key: its name for programs.
        group: which part of the costs it belongs to.
        title: its name for people.
        kind: what it is, which decides how it reads.
        values: one a tokenizer; None where it is undefined.
    """

    key: str
    group: str
    title: str
    kind: Kind
    values: tuple[float | None, ...]

    def shown(self) -> list[str]:
        """The values as people read them."""
        return [show_figure(self.kind, value) for value in self.values]


def cost_lines(shape: ModelShape, tokenizers: Sequence[TokenizerText], plan: CostPlan) -> list[CostLine]:
    """All quantities that the plan asks for, with a value for each tokenizer.

    Args:
        shape: the body; its own vocabulary is replaced by that of each tokenizer.
        tokenizers: the first is what the others are compared with.
        plan: what the model is to do.
    Raises: CostError without a tokenizer, or if a text is needed and one of them has none.

    >>> from tokenloom.cost import model_shape
    >>> pair = [TokenizerText("bytes", 256, 44, 44), TokenizerText("words", 32_000, 10, 44)]
    >>> lines = {line.key: line for line in cost_lines(model_shape("llama-3-8b"), pair, CostPlan())}
    >>> lines["embedding_parameters"].values, lines["relative_attention"].shown()
    ((1048576, 131072000), ['1.00 x', '0.05 x'])
    """
    if not tokenizers:
        raise CostError("tokenizers: there is none to compute costs for. Pass at least one.")
    cases = [_Case(shape.with_vocabulary(one.vocabulary_size), one, tokenizers[0], plan) for one in tokenizers]
    if plan.training_bytes is not None and any(case.text.bytes_per_token is None for case in cases):
        raise CostError(
            "training_bytes: nobody knows how many tokens they are without a text to measure on. Give a text too, or "
            "training_tokens."
        )
    lines = [
        CostLine(key, group, title, kind, tuple(value(case) for case in cases))
        for key, group, title, kind, value in _LINES
    ]
    return [line for line in lines if _is_asked_for(line.key, plan)]


def _is_asked_for(key: str, plan: CostPlan) -> bool:
    if key in ("training_seconds", "decoding_seconds"):
        return plan.accelerator is not None
    if key == "training_price":
        return plan.price_per_hour is not None
    return plan.price_per_million is not None or key not in ("price_per_megabyte", "price_of_text")


@dataclass(frozen=True, slots=True)
class _Case:
    """One tokenizer on the model."""

    shape: ModelShape
    text: TokenizerText
    first: TokenizerText
    plan: CostPlan

    @property
    def context_tokens(self) -> int:
        return self.plan.context_tokens or self.shape.context_tokens

    def a_byte(self, per_token: float) -> float | None:
        ratio = self.text.bytes_per_token
        return None if ratio is None else per_token / ratio

    def bytes_of(self, n_tokens: float) -> float | None:
        ratio = self.text.bytes_per_token
        return None if ratio is None else budgets.text_bytes(n_tokens, bytes_per_token=ratio)

    @property
    def relative_length(self) -> float | None:
        if self.text.n_tokens is None or self.first.n_tokens is None:
            return None
        return self.text.n_tokens / self.first.n_tokens

    @property
    def relative_attention(self) -> float | None:
        length = self.relative_length
        return None if length is None else flops.attention_growth(length)

    @property
    def token_flops(self) -> float:
        return flops.forward_flops(self.shape)

    @property
    def training_token_flops(self) -> float:
        """With attention at its average under a causal mask: half of the context."""
        return flops.TRAINING_PASSES * flops.forward_flops(self.shape, attended_tokens=self.context_tokens / 2)

    @property
    def kv_bytes(self) -> float:
        return memory.kv_cache_bytes(self.shape, n_tokens=1, dtype=self.plan.dtype)

    @property
    def full_cache_bytes(self) -> float:
        plan = self.plan
        return memory.kv_cache_bytes(
            self.shape, n_tokens=self.context_tokens, dtype=plan.dtype, n_sequences=plan.n_sequences
        )

    @property
    def logits_bytes(self) -> float:
        return memory.logits_bytes(
            n_sequences=self.plan.n_sequences,
            n_tokens=self.context_tokens,
            vocabulary_size=self.shape.vocabulary_size,
            dtype=self.plan.logits_dtype,
        )

    @property
    def weight_bytes(self) -> float:
        return memory.weight_bytes(self.shape.total_parameters, dtype=self.plan.dtype)

    @property
    def training_tokens(self) -> float:
        ratio = self.text.bytes_per_token
        if self.plan.training_bytes is not None and ratio is not None:
            return self.plan.training_bytes / ratio
        return self.plan.training_tokens or budgets.chinchilla_tokens(self.shape.active_parameters)

    @property
    def training_flops(self) -> float:
        return flops.training_flops(self.shape.active_parameters, self.training_tokens)

    @property
    def training_seconds(self) -> float | None:
        plan = self.plan
        if plan.accelerator is None:
            return None
        return budgets.training_seconds(
            self.training_flops,
            accelerator=plan.accelerator,
            n_accelerators=plan.n_accelerators,
            utilisation=plan.utilisation,
            dtype=plan.dtype,
        )

    @property
    def training_price(self) -> float | None:
        seconds, plan = self.training_seconds, self.plan
        if seconds is None or plan.price_per_hour is None:
            return None
        return budgets.rent(seconds, n_accelerators=plan.n_accelerators, price_per_hour=plan.price_per_hour)

    @property
    def decoding_seconds(self) -> float | None:
        """A byte of text; None if one accelerator does not hold weights and cache."""
        n_bytes, accelerator = self.weight_bytes + self.full_cache_bytes, self.plan.accelerator
        if accelerator is None or n_bytes > accelerator.memory_bytes:
            return None
        return self.a_byte(budgets.decoding_seconds(n_bytes, accelerator=accelerator))

    def price_of(self, n_tokens: float | None) -> float | None:
        price = self.plan.price_per_million
        return None if n_tokens is None or price is None else budgets.token_price(n_tokens, price_per_million=price)


_MEGABYTE: Final = 1e6

_LINES: Final[tuple[tuple[str, str, str, Kind, Callable[[_Case], float | None]], ...]] = (
    ("vocabulary_size", "Parameters", "rows of the embedding", "count", lambda case: case.shape.vocabulary_size),
    ("embedding_parameters", "Parameters", "embedding", "count", lambda case: case.shape.embedding_parameters),
    ("head_parameters", "Parameters", "head (0 if tied)", "count", lambda case: case.shape.head_parameters),
    ("total_parameters", "Parameters", "all parameters", "count", lambda case: case.shape.total_parameters),
    ("vocabulary_share", "Parameters", "share of the two", "share", lambda case: case.shape.vocabulary_share),
    ("bytes_per_token", "Text", "bytes per token", "ratio", lambda case: case.text.bytes_per_token),
    ("relative_length", "Text", "tokens, relative to the first", "times", lambda case: case.relative_length),
    ("relative_attention", "Text", "attention, likewise", "times", lambda case: case.relative_attention),
    ("context_bytes", "Text", "text in a context", "bytes", lambda case: case.bytes_of(case.context_tokens)),
    ("flops_per_token", "Computation", "a token, forward", "flops", lambda case: case.token_flops),
    ("flops_per_byte", "Computation", "a byte, forward", "flops", lambda case: case.a_byte(case.token_flops)),
    (
        "attention_ratio", "Computation", "attention beside the body", "share",
        lambda case: flops.attention_ratio(case.shape, n_tokens=case.context_tokens),
    ),
    (
        "training_flops_per_byte", "Computation", "a byte, training", "flops",
        lambda case: case.a_byte(case.training_token_flops),
    ),
    ("weight_bytes", "Memory", "weights", "memory", lambda case: case.weight_bytes),
    ("kv_bytes_per_token", "Memory", "cache of a token", "memory", lambda case: case.kv_bytes),
    ("kv_bytes_per_byte", "Memory", "cache of a byte", "memory", lambda case: case.a_byte(case.kv_bytes)),
    ("kv_cache_bytes", "Memory", "cache of full contexts", "memory", lambda case: case.full_cache_bytes),
    ("logits_bytes", "Memory", "scores of a step", "memory", lambda case: case.logits_bytes),
    ("training_tokens", "Training", "tokens", "large", lambda case: case.training_tokens),
    ("training_bytes", "Training", "text", "bytes", lambda case: case.bytes_of(case.training_tokens)),
    ("training_flops", "Training", "6 N D", "flops", lambda case: case.training_flops),
    ("training_seconds", "Training", "time", "seconds", lambda case: case.training_seconds),
    ("training_price", "Training", "price", "money", lambda case: case.training_price),
    ("decoding_seconds", "Generation", "least time of a byte, on one", "seconds", lambda case: case.decoding_seconds),
    (
        "price_per_megabyte", "Price", "a MB of text", "money",
        lambda case: case.price_of(case.a_byte(_MEGABYTE)),
    ),
    ("price_of_text", "Price", "the text", "money", lambda case: case.price_of(case.text.n_tokens)),
)  # fmt: skip
