"""Line charts and histograms as inline SVG that fits any width without a script.

Positions along x are percentages of the drawing, so the marks spread with the page while text and strokes keep their
size: a chart reads the same on a phone and on paper. Curves, which cannot be given in percent, are stretched in an
inner picture whose strokes do not scale. Below each chart its numbers can be opened as a table.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tokenloom.report.characters import escape
from tokenloom.report.scales import Axis, Scale
from tokenloom.report.tables import Column, Table

__all__ = ["Bin", "Histogram", "Lines", "Series"]

_HEIGHT: Final = 220
"""Height of the drawing in pixels, without the labels around it."""
_WIDTH: Final = 1000
"""Width of the inner picture of curves, in units that are stretched to the page."""
_CHAR_PIXELS: Final = 7.2
_MOST_MARKERS: Final = 40
_MOST_LABEL_CHARS: Final = {"phone": 44, "wide": 105}
"""Labels under a histogram take this many characters together."""
_MOST_ROWS: Final = 200


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: its name and its points, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Lines:
    """A line chart; the y axis begins at 0 unless it is logarithmic.

    Args:
        caption: what the chart shows.
        series: one curve or a few; they are told apart by their dashes, not by colour alone.
        x, y: the axes.
    Raises: ValueError for a value that an axis cannot show.
    """

    caption: str
    series: Sequence[Series]
    x: Axis
    y: Axis

    def __post_init__(self) -> None:
        for series in self.series:
            for point in series.points:
                self.x.check(point[0], f"Lines {self.caption!r}, {series.name!r}")
                self.y.check(point[1], f"Lines {self.caption!r}, {series.name!r}")

    def html(self, name: str) -> str:
        """A `figure` with the chart, a legend where there are several curves, and the numbers."""
        points = [point for series in self.series for point in series.points]
        if not points:
            return _empty(self.caption)
        x = Scale.of(self.x, [point[0] for point in points])
        y = Scale.of(self.y, [point[1] for point in points], is_from_zero=True)
        curves = "".join(_curve(series, place, x, y) for place, series in enumerate(self.series))
        last = self.series[0].points[-1]
        description = (
            f"{self.y.title} against {self.x.title}; the last point is {self.x.show(last[0])}, {self.y.show(last[1])}."
        )
        x_labels = [_Label(x.share(tick), label) for tick, label in x.labels()]
        drawing = _drawing(name, (self.caption, description), curves, x_labels, y)
        return _figure(self.caption, self.y.title, drawing, self.x.title, _legend(self.series) + self._numbers(name))

    def _numbers(self, name: str) -> str:
        columns = [Column(self.x.title, is_number=True), Column(self.y.title, is_number=True)]
        is_named = len(self.series) > 1
        if is_named:
            columns.insert(0, Column("Curve"))
        rows = [
            ([series.name] if is_named else []) + [self.x.show(x), self.y.show(y)]
            for series in self.series
            for x, y in _thinned(series.points)
        ]
        return _details(Table(self.caption, columns, rows, is_caption_hidden=True).html(f"{name}-numbers"))


@dataclass(frozen=True, slots=True)
class Bin:
    """A bar of a histogram.

    Args:
        label: what it counts.
        count: how many there are.
        mark: a shorter label for the place under the chart; empty for the label itself.
    """

    label: str
    count: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of neighbouring bins, drawn as bars of equal width.

    Args:
        caption: what is counted.
        bins: from left to right; their labels are thinned under the chart and complete in the table.
        x_title: what the labels are.
        y_title: what the counts count.
    """

    caption: str
    bins: Sequence[Bin]
    x_title: str
    y_title: str

    def __post_init__(self) -> None:
        for found in self.bins:
            if found.count < 0:
                raise ValueError(
                    f"Histogram {self.caption!r}: bin {found.label!r} counts {found.count!r}. Pass counts from 0."
                )

    def html(self, name: str) -> str:
        """A `figure` with the chart and the numbers."""
        total = sum(found.count for found in self.bins)
        if not total:
            return _empty(self.caption)
        y = Scale.of(Axis(self.y_title), [found.count for found in self.bins], is_from_zero=True)
        width = 100 / len(self.bins)
        bars = "".join(_column(found, place * width, width, y) for place, found in enumerate(self.bins))
        most = max(self.bins, key=lambda found: found.count)
        description = f"{self.y_title} by {self.x_title}; most, {most.count:,}, are at {most.label}."
        drawing = _drawing(name, (self.caption, description), bars, self._labels(), y)
        columns = [Column(self.x_title), Column(self.y_title, is_number=True)]
        rows = [(found.label, found.count) for found in self.bins]
        table = Table(self.caption, columns, rows, is_caption_hidden=True).html(f"{name}-numbers")
        return _figure(self.caption, self.y_title, drawing, self.x_title, _details(table))

    def _labels(self) -> list["_Label"]:
        """Every so manieth label, so that they do not touch; some of them are left out on a phone."""
        marks = [found.mark or found.label for found in self.bins]
        n_chars = len(marks) * (max(map(len, marks)) + 2)
        step = math.ceil(n_chars / _MOST_LABEL_CHARS["wide"])
        phone_step = step * math.ceil(n_chars / _MOST_LABEL_CHARS["phone"] / step)
        return [
            _Label((place + 0.5) / len(marks), marks[place], is_wide_only=bool(place % phone_step))
            for place in range(0, len(marks), step)
        ]


class _Label(NamedTuple):
    """A label under a chart: its place as a share of the width, and whether a phone has no room for it."""

    share: float
    text: str
    is_wide_only: bool = False


def _curve(series: Series, place: int, x: Scale, y: Scale) -> str:
    shares = [(x.share(point[0]), y.share(point[1])) for point in series.points]
    points = " ".join(f"{_WIDTH * across:.1f},{_HEIGHT * (1 - up):.1f}" for across, up in shares)
    curve = (
        f'<svg width="100%" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none">'
        f'<polyline class="curve c{place % 4}" points="{points}" vector-effect="non-scaling-stroke"/></svg>'
    )
    if len(shares) > _MOST_MARKERS:
        return curve
    return curve + "".join(
        f'<circle class="c{place % 4}" cx="{100 * across:.2f}%" cy="{_HEIGHT * (1 - up):.1f}" r="3">'
        f"<title>{escape(f'{x.axis.show(point[0])}: {y.axis.show(point[1])}')}</title></circle>"
        for (across, up), point in zip(shares, series.points, strict=True)
    )


def _column(found: Bin, left: float, width: float, y: Scale) -> str:
    gap = min(0.12 * width, 0.4)
    height = max(_HEIGHT * y.share(found.count), 1.0 if found.count else 0.0)  # a single one is still seen
    return (
        f'<rect class="column" x="{left + gap / 2:.3f}%" width="{width - gap:.3f}%" '
        f'y="{_HEIGHT - height:.1f}" height="{height:.1f}"><title>{escape(found.label)}: {found.count:,}</title></rect>'
    )


def _drawing(name: str, words: tuple[str, str], marks: str, x_labels: Sequence[_Label], y: Scale) -> str:
    """Grid, marks and labels; `words` are title and description."""
    y_labels = y.labels()
    left = 12 + _CHAR_PIXELS * max(len(label) for _, label in y_labels)
    grid = "".join(
        f'<line class="grid" x2="100%" y1="{(height := _HEIGHT * (1 - y.share(tick))):.1f}" y2="{height:.1f}"/>'
        f'<text class="y" x="-8" y="{height + 4:.1f}">{escape(label)}</text>'
        for tick, label in y_labels
    )
    below = "".join(map(_below, x_labels))
    title, description = words
    return (
        f'<div class="drawing" style="padding-left:{left:.0f}px"><svg role="img" width="100%" '
        f'height="{_HEIGHT + 26}" aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-desc">{escape(description)}</desc>{grid}{marks}'
        f'<line class="axis" x2="100%" y1="{_HEIGHT}" y2="{_HEIGHT}"/>{below}</svg></div>'
    )


def _below(label: _Label) -> str:
    place = f"{100 * label.share:.2f}%"
    return (
        f'<g class="{"wide" if label.is_wide_only else "always"}">'
        f'<line class="tick" x1="{place}" x2="{place}" y1="{_HEIGHT}" y2="{_HEIGHT + 5}"/>'
        f'<text class="x" x="{place}" y="{_HEIGHT + 19}">{escape(label.text)}</text></g>'
    )


def _figure(caption: str, y_title: str, drawing: str, x_title: str, rest: str) -> str:
    return (
        f'<figure class="chart"><figcaption>{escape(caption)}</figcaption>'
        f'<p class="y-title" aria-hidden="true">{escape(y_title)}</p>{drawing}'
        f'<p class="x-title" aria-hidden="true">{escape(x_title)}</p>{rest}</figure>'
    )


def _empty(caption: str) -> str:
    return f'<figure class="chart"><figcaption>{escape(caption)}</figcaption><p class="none">No values.</p></figure>'


def _legend(series: Sequence[Series]) -> str:
    if len(series) < 2:
        return ""
    items = "".join(
        f'<li><svg aria-hidden="true" width="28" height="10"><line class="curve c{place % 4}" x2="28" y1="5" y2="5"/>'
        f"</svg>{escape(one.name)}</li>"
        for place, one in enumerate(series)
    )
    return f'<ul class="legend">{items}</ul>'


def _details(table: str) -> str:
    return f"<details><summary>Numbers</summary>{table}</details>"


def _thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most `_MOST_ROWS` points for the table, the first and the last among them."""
    n = len(points)
    if n <= _MOST_ROWS:
        return points
    return [points[round(place * (n - 1) / (_MOST_ROWS - 1))] for place in range(_MOST_ROWS)]
