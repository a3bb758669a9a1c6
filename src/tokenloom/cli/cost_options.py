"""The options of `tokenloom cost`, and what those of the model and of the plan say together."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli.options import TOKENIZER_HELP, byte_count

if TYPE_CHECKING:
    from tokenloom.cost import CostPlan, ModelShape

__all__ = [
    "Accelerators",
    "Context",
    "ContextWidth",
    "FfnWidth",
    "Gated",
    "Hardware",
    "HeadWidth",
    "Heads",
    "KvHeads",
    "Layers",
    "LogitsType",
    "Model",
    "NumberType",
    "On",
    "PadTo",
    "PricePerHour",
    "PricePerMillion",
    "ReportFile",
    "Sequences",
    "Tables",
    "Tied",
    "Tokenizers",
    "TrainBytes",
    "TrainTokens",
    "Utilisation",
    "VocabSize",
    "plan_of",
    "shape_of",
]

_SHAPE: Final = "Shape (of a model of your own, or in place of what a known one has)"
_USE: Final = "Use"
_TRAINING: Final = "Training"
_PRICE: Final = "Prices"

Model = Annotated[
    str | None, typer.Option(metavar="NAME", help="A published model; --list models names them. Or give a shape.")
]
Tokenizers = Annotated[
    list[Path] | None,
    typer.Option(
        "--tokenizer",
        metavar="TOKENIZER",
        help=f"{TOKENIZER_HELP} Repeat it to compare. Default: the model's own vocabulary.",
    ),
]
On = Annotated[
    list[str] | None,
    typer.Option(
        "--on", metavar="TEXT", help="Files, folders or quoted patterns to count tokens of. Repeat it for more."
    ),
]
Tables = Annotated[
    Literal["models", "hardware", "vocabularies"] | None,
    typer.Option("--list", help="Print a table of what is known by name, with sources, and stop."),
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write one page with tables and charts.")
]


def _whole(help_text: str, panel: str, *, least: int = 1, name: str | None = None) -> Any:
    names = () if name is None else (name,)
    return typer.Option(*names, min=least, metavar="N", help=help_text, rich_help_panel=panel)


Layers = Annotated[int | None, _whole("Layers.", _SHAPE)]
ContextWidth = Annotated[int | None, _whole("Numbers in the vector of a token, d.", _SHAPE, name="--width")]
Heads = Annotated[int | None, _whole("Heads of attention. Default: as many of 64 numbers as fit.", _SHAPE)]
KvHeads = Annotated[int | None, _whole("Heads with keys and values of their own. Default: all.", _SHAPE)]
HeadWidth = Annotated[int | None, _whole("Numbers in a head. Default: width / heads.", _SHAPE)]
FfnWidth = Annotated[int | None, _whole("Inner width of the feed-forward part. Default: 4 d.", _SHAPE)]
VocabSize = Annotated[int | None, _whole("Rows of the embedding, without a --tokenizer.", _SHAPE)]
Tied = Annotated[
    bool | None,
    typer.Option(
        "--tied/--untied", help="Whether the head is the embedding. Default: it is not.", rich_help_panel=_SHAPE
    ),
]
Gated = Annotated[
    bool | None,
    typer.Option(
        "--gated/--plain", help="Three matrices in the feed-forward part, or two. Default: two.", rich_help_panel=_SHAPE
    ),
]
PadTo = Annotated[
    int,
    _whole("Fill up the rows of the embedding.", _SHAPE, name="--pad-vocabulary-to-multiple-of"),
]

Context = Annotated[int | None, _whole("Tokens of a text. Default: the longest that the model takes.", _USE)]
Sequences = Annotated[int, _whole("Texts at once, for scores and cache.", _USE)]
NumberType = Annotated[
    str, typer.Option("--dtype", metavar="TYPE", help="Of weights, cache and matrices.", rich_help_panel=_USE)
]
LogitsType = Annotated[
    str, typer.Option("--logits-dtype", metavar="TYPE", help="Of the scores of all tokens.", rich_help_panel=_USE)
]
Hardware = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="An accelerator; --list hardware names them.", rich_help_panel=_USE),
]
Accelerators = Annotated[int, _whole("How many of them train.", _TRAINING)]
Utilisation = Annotated[
    float, typer.Option(metavar="SHARE", help="Of their peak that is reached.", rich_help_panel=_TRAINING)
]
TrainTokens = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="Tokens to train on, such as 300B or 1T. Default: 20 a parameter.", rich_help_panel=_TRAINING
    ),
]
TrainBytes = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="Text to train on, such as 4TB: the same for all tokenizers.", rich_help_panel=_TRAINING
    ),
]
PricePerHour = Annotated[float | None, typer.Option(metavar="PRICE", help="Of an accelerator.", rich_help_panel=_PRICE)]
PricePerMillion = Annotated[
    float | None,
    typer.Option("--price-per-million-tokens", metavar="PRICE", help="In any currency.", rich_help_panel=_PRICE),
]


def shape_of(model: str | None, given: dict[str, Any], *, has_tokenizer: bool) -> "ModelShape":
    """The shape that a name and single numbers say together; numbers win. Raises: CostError if they are no model."""
    from tokenloom.cost import model_shape, plain_decoder
    from tokenloom.errors import CostError

    numbers = {field: value for field, value in given.items() if value is not None}
    if model is not None:
        return replace(model_shape(model), **numbers)
    missing = [f"--{field.removeprefix('n_')}" for field in ("n_layers", "width") if field not in numbers]
    if missing:
        raise CostError(
            f"model: there is no --model, and its shape has no {' and no '.join(missing)}. Name a model (--list models "
            "says which are known), or give both."
        )
    if "vocabulary_size" not in numbers:
        if not has_tokenizer:
            raise CostError("model: nothing says how large its vocabulary is. Give --tokenizer, or --vocab-size.")
        numbers["vocabulary_size"] = 1  # each tokenizer brings its own
    return plain_decoder(**numbers)


def plan_of(
    *, hardware: str | None, train_tokens: str | None, train_bytes: str | None, others: dict[str, Any]
) -> "CostPlan":
    """What the model is to do. Raises: CostError for figures that cannot be, BadParameter for what is no number."""
    from tokenloom.cost import CostPlan, accelerator

    return CostPlan(
        accelerator=None if hardware is None else accelerator(hardware),
        training_tokens=None if train_tokens is None else token_count(train_tokens, option="--train-tokens"),
        training_bytes=None if train_bytes is None else byte_count(train_bytes, option="--train-bytes"),
        **others,
    )


_NUMBER: Final = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?(?:e[0-9]{1,2})?) ?([KMBT]?)", re.ASCII | re.IGNORECASE)
_FACTORS: Final = {"": 1, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def token_count(text: str, *, option: str) -> float:
    """A number of tokens as people write it. Raises: BadParameter, which ends the command line with exit code 2.

    >>> token_count("300B", option="--train-tokens"), token_count("1.5e3", option="--train-tokens")
    (300000000000.0, 1500.0)
    """
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise typer.BadParameter(f"{option} {text!r}: is no number of tokens. Write one such as 20M, 300B or 1.4T.")
    return float(match[1]) * _FACTORS[match[2].upper()]
