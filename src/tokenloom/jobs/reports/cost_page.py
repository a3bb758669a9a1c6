"""The page on costs: the lines side by side, and how they grow with the length of a text."""

import time
from collections.abc import Callable
from typing import Final

import tokenloom
from tokenloom.cost import MODELS_DATE, flops_per_byte, kv_cache_bytes
from tokenloom.jobs.cost import CostedTokenizer, CostRun
from tokenloom.report import Axis, Block, Column, Fact, Facts, Lines, Note, Page, Quantity, Section, Series, Table
from tokenloom.wording import counted, format_bytes

__all__ = ["cost_page"]

_MOST_CURVES: Final = 4
"""More curves are told apart by nobody; the table has all tokenizers."""
_N_POINTS: Final = 25
_GROUPS: Final = ("Parameters", "Text", "Computation", "Memory", "Training", "Generation", "Price")


def cost_page(run: CostRun) -> Page:
    """A report on what tokenizers cost a model."""
    shape = run.shape
    sections = [
        Section("Summary", [_facts(run), *_notes(run)]),
        *(Section(group, blocks) for group in _GROUPS if (blocks := _group_blocks(run, group))),
        *([Section("Length", charts)] if (charts := _charts(run)) else []),
    ]
    n = counted(len(run.tokenizers), "tokenizer")
    subtitle = f"{n} on {shape.name}: {shape.n_layers:,} layers, width {shape.width:,}"
    footer = f"Made by tokenloom {tokenloom.__version__}, {time.strftime('%Y-%m-%d %H:%M')}."
    return Page("Costs of tokenizers", subtitle, sections, footer)


def _facts(run: CostRun) -> Facts:
    shape, plan = run.shape, run.plan
    context = plan.context_tokens or shape.context_tokens
    facts = [
        Fact("Model", shape.name, f"{shape.body_parameters:,} parameters outside the tables"),
        Fact("Context", f"{context:,}", "tokens"),
        Fact("Number type", plan.dtype, f"scores {plan.logits_dtype}"),
    ]
    if plan.accelerator:
        detail = f"{100 * plan.utilisation:g} % of the peak; {plan.accelerator.source}"
        facts.append(Fact("Hardware", f"{plan.n_accelerators:,} x {plan.accelerator.name}", detail))
    if run.tokenizers[0].text.n_bytes is not None:
        files = counted(len(run.tokenizers[0].sources), "file")
        facts.append(Fact("Text", format_bytes(run.tokenizers[0].text.n_bytes), files))
    return Facts(facts)


def _notes(run: CostRun) -> list[Block]:
    words = (
        "All figures are computed by formulas, none is measured but bytes per token. Fewer FLOPs are no better model. "
        "Attention beside the body is that of the last token of a context, and half of it counts for training. The "
        "gradient of the scores takes as much memory as they do."
    )
    source = f" Shape of the model: {run.shape.source}. Table of models: {MODELS_DATE}." if run.shape.source else ""
    return [Note(words + source)]


def _group_blocks(run: CostRun, group: str) -> list[Block]:
    """A table with a row a tokenizer; bars where a quantity decides."""
    lines = [line for line in run.lines if line.group == group]
    if not lines:
        return []
    barred = {"flops_per_byte", "bytes_per_token", "kv_bytes_per_byte"}
    columns = [Column("Tokenizer")]
    columns += [Column(_capital(line.title), is_number=True, has_bars=line.key in barred) for line in lines]
    shown = [line.shown() for line in lines]
    rows = [
        [
            one.text.name,
            *(
                None if line.values[place] is None else Quantity(line.values[place] or 0, texts[place])
                for line, texts in zip(lines, shown, strict=True)
            ),
        ]
        for place, one in enumerate(run.tokenizers)
    ]
    blocks: list[Block] = [Table(f"{group} by tokenizer", columns, rows)]
    return blocks + (_source_blocks(run) if group == "Text" else [])


def _source_blocks(run: CostRun) -> list[Block]:
    sources = run.tokenizers[0].sources
    if len(sources) < 2:
        return []
    columns = [Column("File"), Column("Text", is_number=True)]
    columns += [Column(one.text.name, is_number=True) for one in run.tokenizers]
    rows = [
        [
            source.name,
            Quantity(source.n_bytes, format_bytes(source.n_bytes)),
            *(_ratio(one, place) for one in run.tokenizers),
        ]
        for place, source in enumerate(sources)
    ]
    return [Table("Bytes per token by file", columns, rows)]


def _ratio(one: CostedTokenizer, place: int) -> float | None:
    source = one.sources[place]
    return source.n_bytes / source.n_tokens if source.n_tokens else None


def _charts(run: CostRun) -> list[Block]:
    """How computation and cache grow with the bytes of a text, for tokenizers that were measured on one."""
    measured = [one.text for one in run.tokenizers if one.text.bytes_per_token][:_MOST_CURVES]
    if not measured:
        return []
    context = run.plan.context_tokens or run.shape.context_tokens
    longest = max(2 * context * (one.bytes_per_token or 1) for one in measured)
    lengths = [longest ** (place / (_N_POINTS - 1)) * 64 ** (1 - place / (_N_POINTS - 1)) for place in range(_N_POINTS)]
    x = Axis("Length of the text", unit="B", is_log=True)

    def flops(size: int, ratio: float, n_bytes: float) -> float:
        shape = run.shape.with_vocabulary(size)
        return flops_per_byte(shape, bytes_per_token=ratio, attended_tokens=n_bytes / ratio / 2)

    def cache(size: int, ratio: float, n_bytes: float) -> float:
        shape = run.shape.with_vocabulary(size)
        return kv_cache_bytes(shape, n_tokens=n_bytes / ratio, dtype=run.plan.dtype)

    def curves(figure: Callable[[int, float, float], float]) -> list[Series]:
        return [
            Series(one.name, [(n, figure(one.vocabulary_size, one.bytes_per_token or 1, n)) for n in lengths])
            for one in measured
        ]

    return [
        Lines("FLOPs a byte, forward, with attention", curves(flops), x, Axis("FLOPs")),
        Lines("Keys and values of one text", curves(cache), x, Axis("Memory", unit="B", is_log=True)),
    ]


def _capital(title: str) -> str:
    return title if title == "6 N D" else title[:1].upper() + title[1:]
