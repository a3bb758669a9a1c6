"""A metric as an entry of the table `METRICS`: its function, what it takes from a measurement, and its unit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal

import numpy as np

from tokenloom.errors import MetricError
from tokenloom.metrics.intervals import Interval, Resamples
from tokenloom.metrics.measurement import Measurement
from tokenloom.wording import quoted

__all__ = ["Metric", "Value", "difference_of", "find_metric", "table_of", "value_of"]

Needs = Literal["text", "parallel", "language"]


@dataclass(frozen=True, slots=True)
class Value:
    """A metric of one tokenizer on one corpus.

    Args:
        value: None where it is undefined.
        interval: where it is sure to lie; None for metrics that are no ratio over documents, or of one document.
        reason: why it is undefined; empty if it is not.
    """

    value: float | None
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Args:
        name: its key in `METRICS`.
        function: what defines it: formula, range, when it is undefined, and its source are in the docstring.
        of: what it takes from what it needs, as the arguments of the function; raises MetricError where that is not
            there, such as words without a splitter.
        unit: of its value; empty for a share or a ratio without unit.
        needs: a `Measurement` on a text; or `ParallelCosts`, and for a metric of one language also its name.
        is_ratio: the arguments are two amounts by document, above and below the line, so there is an interval.
        is_complement: the function is one less that ratio.
        also: other names for it.
    """

    name: str
    function: Callable[..., Any]
    of: Callable[..., tuple[Any, ...]]
    unit: str = ""
    needs: Needs = "text"
    is_ratio: bool = False
    is_complement: bool = False
    also: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first sentence of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n\n")[0].replace("\n    ", " ").strip()


def value_of(metric: Metric, measurement: Measurement, resamples: Resamples | None = None) -> Value:
    """A metric of a measurement, with an interval if it is a ratio and there are draws; never an error.

    >>> from tokenloom.metrics import METRICS
    >>> value_of(METRICS["bytes_per_token"], Measurement.of_amounts(n_bytes=[4, 6], n_tokens=[2, 3])).value
    2.0
    """
    if metric.needs != "text":
        return Value(None, None, f"metric {metric.name!r}: needs parallel text. Use parallel_costs.")
    try:
        arguments = metric.of(measurement)
        value = metric.function(*arguments)
    except MetricError as error:
        return Value(None, None, str(error))
    interval = resamples.ratio(*arguments) if resamples and metric.is_ratio else None
    if interval and metric.is_complement:
        interval = Interval(1 - interval.high, 1 - interval.low, interval.level)
    return Value(float(value), interval)


def difference_of(metric: Metric, first: Measurement, second: Measurement, resamples: Resamples | None = None) -> Value:
    """A metric of a second tokenizer less that of a first one, on the same documents; never an error.

    Raises: MetricError if the two were not measured on the same corpus.
    """
    if first.text.fingerprint != second.text.fingerprint:
        raise MetricError(
            f"{metric.name}: the two were measured on corpora {first.text.fingerprint[:12]!r} and "
            f"{second.text.fingerprint[:12]!r}, which differ. Measure both on one corpus."
        )
    values = value_of(metric, first), value_of(metric, second)
    if values[0].value is None or values[1].value is None:
        return Value(None, None, values[0].reason or values[1].reason)
    interval = None
    if resamples and metric.is_ratio:
        interval = resamples.difference(_two(metric, first), _two(metric, second))
        if interval and metric.is_complement:
            interval = Interval(-interval.high, -interval.low, interval.level)
    return Value(values[1].value - values[0].value, interval)


def table_of(*families: tuple[str, Iterable[Metric]]) -> dict[str, Metric]:
    """One table of the metrics of families, each with the name of its owner; a name is given once.

    Raises: MetricError for a name, or another name of a metric, that two families give.
    """
    table: dict[str, Metric] = {}
    owners: dict[str, str] = {}
    for owner, metrics in families:
        for metric in metrics:
            for name in (metric.name, *metric.also):
                if name in owners:
                    raise MetricError(f"metric {name!r}: is in {owners[name]!r} and {owner!r}. Rename one of the two.")
                owners[name] = owner
            table[metric.name] = metric
    return table


_LEAST_SIMILAR: Final = 0.5


def find_metric(name: str, metrics: dict[str, Metric]) -> Metric:
    """The metric of a name, or of another name that it has. Raises: MetricError naming the nearest one."""
    names = {other: metric for metric in metrics.values() for other in (metric.name, *metric.also)}
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    if key in names:
        return names[key]
    near = get_close_matches(key, names, n=1, cutoff=_LEAST_SIMILAR)
    remedy = f"Did you mean {near[0]!r}? Others are" if near else "Use one of"
    raise MetricError(f"metric {quoted(name)}: is unknown. {remedy} {', '.join(sorted(names))}.")


def _two(metric: Metric, measurement: Measurement) -> tuple[Any, Any]:
    above, below = metric.of(measurement)
    return np.asarray(above), np.asarray(below)
