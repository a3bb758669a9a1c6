"""What `tokenloom cost` prints: a column a tokenizer, the tables of what is known, and the same as JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import typer

from tokenloom.cli.output import one_line, print_facts, print_json, print_table
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.cost import CostPlan, ModelShape
    from tokenloom.jobs.cost import CostedTokenizer, CostRun

__all__ = ["cost_facts", "print_costs", "print_known", "write_page"]

Known = Literal["models", "hardware", "vocabularies"]

_SHAPE_FIELDS: Final = (
    "name", "n_layers", "width", "n_heads", "n_kv_heads", "head_width", "ffn_width", "vocabulary_size",
    "context_tokens", "is_tied", "is_gated", "n_experts", "n_active_experts", "cached_layers", "body_parameters",
    "source",
)  # fmt: skip


def cost_facts(run: "CostRun", report: Path | None) -> dict[str, Any]:
    """The comparison for JSON; what is undefined is null."""
    return {
        "model": {field: getattr(run.shape, field) for field in _SHAPE_FIELDS},
        "plan": _plan_facts(run.plan),
        "tokenizers": [
            {
                "name": one.text.name,
                "tokenizer": one.path,
                "fingerprint": one.fingerprint,
                "n_tokens": one.text.n_tokens,
                "n_bytes": one.text.n_bytes,
                "sources": [
                    {"name": source.name, "n_tokens": source.n_tokens, "n_bytes": source.n_bytes}
                    for source in one.sources
                ],
                **{line.key: line.values[place] for line in run.lines},
            }
            for place, one in enumerate(run.tokenizers)
        ],
        "n_skipped": run.skipped.n_skipped,
        "report": None if report is None else str(report),
    }


def _plan_facts(plan: "CostPlan") -> dict[str, Any]:
    hardware = plan.accelerator
    return {
        "n_sequences": plan.n_sequences,
        "dtype": plan.dtype,
        "logits_dtype": plan.logits_dtype,
        "hardware": hardware and hardware.name,
        "n_accelerators": plan.n_accelerators,
        "utilisation": plan.utilisation,
        "training_tokens": plan.training_tokens,
        "training_bytes": plan.training_bytes,
        "price_per_hour": plan.price_per_hour,
        "price_per_million_tokens": plan.price_per_million,
    }


def print_costs(run: "CostRun", report: Path | None) -> None:
    """The model, then a row a quantity with a column a tokenizer, then bytes per token by file if there are several."""
    print_facts(_model_rows(run))
    typer.echo()
    names = [one_line(one.text.name) for one in run.tokenizers]
    rows = [(*line.shown(), f"{line.group.lower()}: {line.title}") for line in run.lines]
    print_table((*names, ""), rows)
    if len(run.tokenizers[0].sources) > 1:
        typer.echo()
        places = range(len(run.tokenizers[0].sources))
        print_table((*names, "bytes per token by file"), [_source_row(run.tokenizers, place) for place in places])
    if report is not None:
        typer.echo(f"\nreport  {one_line(str(report))}")


def _model_rows(run: "CostRun") -> list[tuple[str, str]]:
    shape, plan = run.shape, run.plan
    heads = counted(shape.n_heads, "head")
    own = f" ({shape.n_kv_heads:,} for keys and values)" if shape.n_kv_heads != shape.n_heads else ""
    rows = [
        ("model", f"{shape.name}: {counted(shape.n_layers, 'layer')}, width {shape.width:,}, {heads}{own}"),
        ("body", f"{shape.body_parameters:,} parameters outside embedding and head"),
        ("use", f"{plan.n_sequences:,} x {shape.context_tokens:,} tokens, {plan.dtype}, scores {plan.logits_dtype}"),
    ]
    if plan.accelerator:
        hardware = f"{plan.n_accelerators:,} x {plan.accelerator.name} at {100 * plan.utilisation:g} % of the peak"
        rows.append(("hardware", hardware))
    n_bytes = run.tokenizers[0].text.n_bytes
    if n_bytes is None:
        rows.append(("text", "none: what depends on bytes per token is undefined"))
    else:
        rows.append(("text", f"{counted(len(run.tokenizers[0].sources), 'file')}, {format_bytes(n_bytes)}"))
    return rows


def _source_row(tokenizers: Sequence["CostedTokenizer"], place: int) -> list[str]:
    sources = [one.sources[place] for one in tokenizers]
    ratios = [f"{source.n_bytes / source.n_tokens:.3g}" if source.n_tokens else "undefined" for source in sources]
    return [*ratios, one_line(sources[0].name)]


def print_known(table: Known, *, as_json: bool) -> None:
    """One of the tables of what is known by name, with its date and sources."""
    rows, date = _KNOWN[table]()
    if as_json:
        print_json({"table": table, "date": date, "rows": rows})
        return
    names = list(rows[0])
    print_table(names, [[_cell(value) for value in row.values()] for row in rows])
    typer.echo(f"Written {date}.", err=True)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _models() -> tuple[list[Mapping[str, Any]], str]:
    from tokenloom.cost import MODELS, MODELS_DATE

    return [_model_row(shape) for shape in MODELS.values()], MODELS_DATE


def _model_row(shape: "ModelShape") -> Mapping[str, Any]:
    return {
        "name": shape.name,
        "layers": shape.n_layers,
        "width": shape.width,
        "heads": shape.n_heads,
        "kv_heads": shape.n_kv_heads,
        "vocabulary": shape.vocabulary_size,
        "tied": shape.is_tied,
        "parameters": shape.total_parameters,
        "vocabulary_share": shape.vocabulary_share,
        "source": shape.source,
    }


def _hardware() -> tuple[list[Mapping[str, Any]], str]:
    from tokenloom.cost import ACCELERATORS, HARDWARE_DATE

    rows = [
        {
            "name": one.name,
            "year": str(one.year),
            "memory_gb": one.memory_bytes / 1e9,
            "gb_per_second": one.bandwidth_bytes / 1e9,
            "tera_flops": ", ".join(f"{dtype} {peak / 1e12:g}" for dtype, peak in one.peaks.items()),
            "source": one.source,
        }
        for one in ACCELERATORS.values()
    ]
    return list(rows), HARDWARE_DATE


def _vocabularies() -> tuple[list[Mapping[str, Any]], str]:
    from tokenloom.cost import VOCABULARIES, VOCABULARIES_DATE

    rows = [
        {
            "name": one.name,
            "rows": one.size,
            "ids": one.n_ids,
            "kind": one.kind,
            "year": str(one.year),
            "source": one.source,
        }
        for one in VOCABULARIES.values()
    ]
    return list(rows), VOCABULARIES_DATE


_KNOWN: Final = {"models": _models, "hardware": _hardware, "vocabularies": _vocabularies}


def write_page(run: "CostRun", path: Path) -> None:
    """One HTML file, which replaces an older one at once. Raises: StorageError if it cannot be written."""
    from tokenloom.jobs.reports.cost_page import cost_page
    from tokenloom.storage import atomic_write

    with atomic_write(path) as file:
        file.write(cost_page(run).html().encode())
