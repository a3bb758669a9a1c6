"""Charts place their marks where the numbers say, and say the numbers in words and tables too."""

import re

import pytest

from tokenloom.report import Axis, Bin, Histogram, Lines, Series

GROWTH = Series("pretokens", [(1_000_000, 100), (2_000_000, 150), (3_000_000, 200)])


def test_line_goes_through_its_points() -> None:
    html = Lines("Growth", [GROWTH], Axis("bytes read", "B"), Axis("pretokens")).html("c")
    points = re.search(r'points="([^"]+)"', html)
    assert points is not None
    assert points[1] == "0.0,110.0 500.0,55.0 1000.0,0.0"  # 200 of 200 is at the top of 220 pixels, 100 is half way


def test_logarithmic_axis_spaces_equal_ratios_equally() -> None:
    series = Series("a", [(1, 1), (10, 1), (100, 1)])
    html = Lines("Growth", [series], Axis("x", is_log=True), Axis("y")).html("c")
    assert re.findall(r'cx="([^"]+)"', html) == ["0.00%", "50.00%", "100.00%"]


def test_chart_has_title_description_and_numbers_for_those_who_do_not_see_it() -> None:
    html = Lines("Growth", [GROWTH], Axis("bytes read", "B"), Axis("pretokens")).html("c")
    assert 'role="img"' in html
    assert '<title id="c-title">Growth</title>' in html
    assert "the last point is 3.00 MB, 200." in html
    assert html.count("<tr>") == 1 + len(GROWTH.points)


def test_several_curves_have_a_legend_and_different_dashes() -> None:
    html = Lines("Growth", [GROWTH, Series("other", [(0, 5)])], Axis("x"), Axis("y")).html("c")
    assert '<ul class="legend">' in html
    assert "c0" in html
    assert "c1" in html


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_value_without_place_on_a_logarithmic_axis_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"Lines 'Growth', 'a': .* has no place on the axis 'x'\. Pass finite numbers"):
        Lines("Growth", [Series("a", [(value, 1)])], Axis("x", is_log=True), Axis("y"))


def test_many_points_become_a_short_table_with_both_ends() -> None:
    series = Series("a", [(x, x) for x in range(1, 10_001)])
    html = Lines("Growth", [series], Axis("x"), Axis("y")).html("c")
    assert html.count("<tr>") == 201
    assert ">10,000</td>" in html
    assert "<circle" not in html


def test_columns_of_a_histogram_are_as_high_as_their_counts() -> None:
    html = Histogram("Lengths", [Bin("1", 50), Bin("2", 100), Bin("3", 0)], "bytes", "tokens").html("c")
    heights = [float(height) for height in re.findall(r'class="column"[^>]* height="([^"]+)"', html)]
    assert heights == [110, 220, 0]


def test_a_single_count_beside_a_million_is_still_seen() -> None:
    html = Histogram("Lengths", [Bin("1", 1_000_000), Bin("2", 1)], "bytes", "tokens").html("c")
    assert re.findall(r'class="column"[^>]* height="([^"]+)"', html) == ["220.0", "1.0"]


def test_labels_of_many_bins_are_thinned_below_but_complete_in_the_table() -> None:
    html = Histogram("Lengths", [Bin(str(n), n) for n in range(100)], "bytes", "tokens").html("c")
    labels = re.findall(r'<g class="(\w+)"><line class="tick".*?<text class="x"[^>]*>(\d+)<', html)
    assert [label for where, label in labels if where == "always"] == [
        "0",
        "12",
        "24",
        "36",
        "48",
        "60",
        "72",
        "84",
        "96",
    ]
    assert [label for _, label in labels] == [str(n) for n in range(0, 100, 4)]
    assert html.count('<th scope="row">') == 100


@pytest.mark.parametrize(
    "chart",
    [Lines("Growth", [Series("a", [])], Axis("x"), Axis("y")), Histogram("Lengths", [Bin("1", 0)], "x", "y")],
)
def test_chart_without_values_says_so(chart: Lines | Histogram) -> None:
    assert "No values." in chart.html("c")
    assert "<svg" not in chart.html("c")


def test_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match=r"bin '1' counts -1\. Pass counts from 0\."):
        Histogram("Lengths", [Bin("1", -1)], "x", "y")


def test_axis_begins_at_zero_where_that_is_near() -> None:
    near = Lines("Growth", [Series("a", [(10, 1), (100, 2)])], Axis("x"), Axis("y")).html("c")
    far = Lines("Growth", [Series("a", [(50, 1), (100, 2)])], Axis("x"), Axis("y")).html("c")
    assert re.findall(r'cx="([^"]+)"', near) == ["10.00%", "100.00%"]
    assert re.findall(r'cx="([^"]+)"', far) == ["0.00%", "100.00%"]
