"""`tokenloom cost`: what tokenizers cost a model, in parameters, FLOPs, memory, time and money."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tokenloom.cli import cost_options as given
from tokenloom.cli import options as shared
from tokenloom.cli.cost_output import cost_facts, print_costs, print_known, write_page
from tokenloom.cli.output import print_json, warn_of_skipped
from tokenloom.cli.progress import reported

if TYPE_CHECKING:
    from tokenloom.cost import CostPlan, ModelShape
    from tokenloom.jobs.cost import CostRun

__all__ = ["EXAMPLE", "cost"]

EXAMPLE: Final = "tokenloom cost --model llama-3-8b --tokenizer my-tokenizer --tokenizer cl100k_base --on data/"


def cost(
    model: given.Model = None,
    tokenizer: given.Tokenizers = None,
    on: given.On = None,
    report: given.ReportFile = None,
    tables: given.Tables = None,
    layers: given.Layers = None,
    width: given.ContextWidth = None,
    heads: given.Heads = None,
    kv_heads: given.KvHeads = None,
    head_width: given.HeadWidth = None,
    ffn_width: given.FfnWidth = None,
    vocab_size: given.VocabSize = None,
    tied: given.Tied = None,
    gated: given.Gated = None,
    pad_vocabulary_to_multiple_of: given.PadTo = 1,
    context: given.Context = None,
    sequences: given.Sequences = 1,
    dtype: given.NumberType = "bf16",
    logits_dtype: given.LogitsType = "fp32",
    hardware: given.Hardware = None,
    accelerators: given.Accelerators = 1,
    utilisation: given.Utilisation = 0.4,
    train_tokens: given.TrainTokens = None,
    train_bytes: given.TrainBytes = None,
    price_per_hour: given.PricePerHour = None,
    price_per_million_tokens: given.PricePerMillion = None,
    threads: shared.Threads = None,
    as_json: shared.AsJson = False,
    quiet: shared.Quiet = False,
    config: shared.Config = None,
) -> None:
    """Compute what tokenizers cost a model.

    Only bytes per token are measured, on TEXT; all else follows from the shape of the model, by formulas.
    """
    del config
    if tables is not None:
        print_known(tables, as_json=as_json)
        return
    sizes = {"n_layers": layers, "width": width, "n_heads": heads, "n_kv_heads": kv_heads, "head_width": head_width}
    sizes |= {"ffn_width": ffn_width, "vocabulary_size": vocab_size, "context_tokens": context}
    shape = given.shape_of(model, sizes | {"is_tied": tied, "is_gated": gated}, has_tokenizer=bool(tokenizer))
    figures = {"n_sequences": sequences, "dtype": dtype, "logits_dtype": logits_dtype, "n_accelerators": accelerators}
    figures |= {"utilisation": utilisation, "price_per_hour": price_per_hour}
    figures |= {"price_per_million": price_per_million_tokens}
    plan = given.plan_of(hardware=hardware, train_tokens=train_tokens, train_bytes=train_bytes, others=figures)
    run = _compared(shape, plan, tokenizer or [], on or [], pad_vocabulary_to_multiple_of, threads, quiet)
    _show(run, report, as_json=as_json)


def _compared(
    shape: "ModelShape",
    plan: "CostPlan",
    paths: list[Path],
    texts: list[str],
    multiple_of: int,
    n_threads: int | None,
    is_quiet: bool,
) -> "CostRun":
    from tokenloom.jobs.cost import compare_costs

    with reported(is_quiet=is_quiet) as progress:
        return compare_costs(
            shape,
            tokenizers=paths,
            texts=texts,
            plan=plan,
            multiple_of=multiple_of,
            n_threads=n_threads,
            progress=progress,
        )


def _show(run: "CostRun", report: Path | None, *, as_json: bool) -> None:
    warn_of_skipped(run.skipped)
    if report is not None:
        write_page(run, report)
    if as_json:
        print_json(cost_facts(run, report))
    else:
        print_costs(run, report)
