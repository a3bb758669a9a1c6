"""What a language model is made of, as far as its costs go: the shape of a decoder, and its parameters.

The idea: a decoder is two tables of the vocabulary (embedding and head) around a body that knows nothing of it. A
tokenizer decides the size of the tables and, by its bytes per token, how often the body runs.
Source: Vaswani et al. 2017, "Attention Is All You Need", in the decoder form of GPT-2 and Llama.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from tokenloom.cost.checks import check_at_most, check_whole
from tokenloom.errors import CostError

__all__ = ["ModelShape", "plain_decoder"]

_HEAD_WIDTH: Final = 64
"""Of a plain decoder whose heads are not given: that of GPT-2, at every size of it."""
_COUNTS: Final = (
    "n_layers", "width", "n_heads", "n_kv_heads", "head_width", "ffn_width", "vocabulary_size", "context_tokens",
    "n_experts", "n_active_experts",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """A decoder by its numbers.

    Args:
        name: what it is called.
        n_layers: its layers.
        width: numbers in the vector of a token, d.
        n_heads: heads of attention.
        n_kv_heads: heads that have keys and values of their own; fewer than `n_heads` where heads share them.
        head_width: numbers in a head.
        ffn_width: inner width of the feed-forward part; of one expert, where there are experts.
        vocabulary_size: rows of the embedding, V; padding counts.
        context_tokens: the longest text, in tokens.
        is_tied: the head is the embedding, used once more.
        is_gated: the feed-forward part has three matrices (as SwiGLU has) and not two.
        n_experts, n_active_experts: feed-forward parts of a layer, and how many of them a token passes.
        n_position_rows: rows of a learned table of positions; 0 for none.
        norm: `"layer"` has a scale and a shift, `"rms"` a scale; two a layer and one at the end.
        has_head_norms: queries and keys are normalized too, with a scale each.
        biases: which matrices have one: `"none"`, `"qkv"` (queries, keys, values) or `"all"`, the head never.
        n_attention_layers: layers whose keys and values grow with the text; None for all.
        stated_body_parameters: parameters outside both tables as published, of a model that is no plain decoder; None
            to count them.
        source: where the numbers stand, with title and year.
    Raises: CostError for a number that is not above 0 or a part that is larger than its whole.

    >>> gpt2 = plain_decoder(n_layers=12, width=768, vocabulary_size=50_257, is_tied=True)
    >>> gpt2.embedding_parameters, gpt2.head_parameters
    (38597376, 0)
    """

    name: str
    n_layers: int
    width: int
    n_heads: int
    n_kv_heads: int
    head_width: int
    ffn_width: int
    vocabulary_size: int
    context_tokens: int
    is_tied: bool
    is_gated: bool
    n_experts: int = 1
    n_active_experts: int = 1
    n_position_rows: int = 0
    norm: Literal["layer", "rms"] = "rms"
    has_head_norms: bool = False
    biases: Literal["none", "qkv", "all"] = "none"
    n_attention_layers: int | None = None
    stated_body_parameters: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        place = f"shape {self.name!r}"
        for field in _COUNTS:
            check_whole(getattr(self, field), f"{place}, {field}")
        check_whole(self.n_position_rows, f"{place}, n_position_rows", least=0)
        check_at_most(self.n_kv_heads, self.n_heads, f"{place}, n_kv_heads", "n_heads")
        check_at_most(self.n_active_experts, self.n_experts, f"{place}, n_active_experts", "n_experts")
        if self.n_heads % self.n_kv_heads:
            raise CostError(
                f"{place}, n_kv_heads: {self.n_kv_heads:,} does not divide n_heads, {self.n_heads:,}: each must serve "
                "equally many. Choose a divisor."
            )
        if self.n_attention_layers is not None:
            check_whole(self.n_attention_layers, f"{place}, n_attention_layers", least=0)
            check_at_most(self.n_attention_layers, self.n_layers, f"{place}, n_attention_layers", "n_layers")

    @property
    def embedding_parameters(self) -> int:
        """V x d: a row a token."""
        return self.vocabulary_size * self.width

    @property
    def head_parameters(self) -> int:
        """V x d once more, or 0 where the head is the embedding."""
        return 0 if self.is_tied else self.embedding_parameters

    @property
    def vocabulary_parameters(self) -> int:
        """Both tables: what the vocabulary alone takes."""
        return self.embedding_parameters + self.head_parameters

    @property
    def body_parameters(self) -> int:
        """All parameters outside both tables; they do not depend on the vocabulary."""
        if self.stated_body_parameters is not None:
            return self.stated_body_parameters
        norm = self.width * (2 if self.norm == "layer" else 1)
        matrices = self._attention_matrix + self._router + self.n_experts * self._expert_matrix
        layer = matrices + self._layer_biases + 2 * norm + 2 * self.head_width * self.has_head_norms
        return self.n_layers * layer + norm + self.n_position_rows * self.width

    @property
    def total_parameters(self) -> int:
        """Body and tables; a table that is used twice counts once."""
        return self.body_parameters + self.vocabulary_parameters

    @property
    def active_parameters(self) -> int:
        """Those that a token passes: all but the experts that it leaves out."""
        idle = self.n_experts - self.n_active_experts
        return self.total_parameters - self.n_layers * idle * self._expert_matrix

    @property
    def body_matrix_parameters(self) -> int:
        """Parameters of the body that multiply: a token takes two FLOPs for each. Without biases, norms, positions."""
        if self.stated_body_parameters is not None:
            idle = self.n_experts - self.n_active_experts
            return self.stated_body_parameters - self.n_layers * idle * self._expert_matrix
        experts = self.n_active_experts * self._expert_matrix
        return self.n_layers * (self._attention_matrix + self._router + experts)

    @property
    def vocabulary_share(self) -> float:
        """The share of all parameters that the two tables have, in [0, 1].

        >>> model = plain_decoder(n_layers=4, width=256, vocabulary_size=248_320, is_tied=True)
        >>> round(model.vocabulary_share, 3)
        0.953
        """
        return self.vocabulary_parameters / self.total_parameters

    @property
    def cached_layers(self) -> int:
        """Layers that keep keys and values of every token."""
        return self.n_layers if self.n_attention_layers is None else self.n_attention_layers

    def with_vocabulary(self, vocabulary_size: int) -> "ModelShape":
        """The same body between tables of another size."""
        return replace(self, vocabulary_size=vocabulary_size)

    @property
    def _attention_matrix(self) -> int:
        """Queries and output, keys and values."""
        return 2 * self.width * self.head_width * (self.n_heads + self.n_kv_heads)

    @property
    def _expert_matrix(self) -> int:
        return (3 if self.is_gated else 2) * self.width * self.ffn_width

    @property
    def _router(self) -> int:
        return self.width * self.n_experts if self.n_experts > 1 else 0

    @property
    def _layer_biases(self) -> int:
        qkv = self.head_width * (self.n_heads + 2 * self.n_kv_heads)
        if self.biases == "qkv":
            return qkv
        inner = self.ffn_width * (2 if self.is_gated else 1)
        return qkv + self.width + self.n_experts * (inner + self.width) if self.biases == "all" else 0


def plain_decoder(
    *,
    n_layers: int,
    width: int,
    vocabulary_size: int,
    n_heads: int | None = None,
    n_kv_heads: int | None = None,
    head_width: int | None = None,
    ffn_width: int | None = None,
    context_tokens: int = 1024,
    is_tied: bool = False,
    is_gated: bool = False,
    name: str = "decoder",
) -> ModelShape:
    """A decoder as textbooks draw it: 12 d² parameters in the matrices of a layer, without biases.

    Args:
        n_layers: as for `ModelShape`, and so are the others.
        width: d.
        vocabulary_size: V.
        n_heads: None for heads of `head_width`, or of 64 numbers; one head where they do not divide the width.
        n_kv_heads: None for as many as heads.
        head_width: None for the width divided by the heads.
        ffn_width: None for 4 d.
        context_tokens: the longest text.
        is_tied: the head is the embedding.
        is_gated: three matrices of the feed-forward part.
        name: what it is called.
    Raises: CostError for numbers that are not above 0, or a width that the heads do not divide.

    >>> shape = plain_decoder(n_layers=12, width=1024, vocabulary_size=2000)
    >>> shape.body_matrix_parameters == 12 * 12 * 1024**2
    True
    """
    for value, what in ((n_layers, "n_layers"), (width, "width")):
        check_whole(value, what)
    if n_heads is None:
        inner = _HEAD_WIDTH if head_width is None else head_width
        check_whole(inner, "head_width")
        n_heads = width // inner if width % inner == 0 else 1
    check_whole(n_heads, "n_heads")
    if head_width is None and width % n_heads:
        raise CostError(
            f"width {width:,}: {n_heads:,} heads do not divide it. Choose another number of heads, or give head_width."
        )
    return ModelShape(
        name=name,
        n_layers=n_layers,
        width=width,
        n_heads=n_heads,
        n_kv_heads=n_heads if n_kv_heads is None else n_kv_heads,
        head_width=width // n_heads if head_width is None else head_width,
        ffn_width=4 * width if ffn_width is None else ffn_width,
        vocabulary_size=vocabulary_size,
        context_tokens=context_tokens,
        is_tied=is_tied,
        is_gated=is_gated,
    )
