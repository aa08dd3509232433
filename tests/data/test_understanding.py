"""What the columns of a table are for, decided by looking at it; every decision is a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms import find
from algorithms.data import Points
from algorithms.data.coding import as_categories, as_indicators
from algorithms.data.readiness import ready_for, suggested_scale
from algorithms.data.scaling import scaled
from mlviz.data.files import points_of, read_pasted, read_points
from mlviz.data.roles import Imported
from mlviz.data.understanding import Wishes, understood

WINES = "rownames,id,name,alcohol,magnesium,colour,made,note,quality\n" + "".join(
    f"{k + 1},{900 - k},bottle {k},{12 + k % 7 / 10},{90 + k % 11 * 10},{'red' if k % 3 else 'white'},"
    f"{1990 + k % 5}-0{1 + k % 9}-1{k % 9},text {k % 31},{k % 4}\n"
    for k in range(40)
)


def made(text: str, **wishes: object) -> Imported:
    return points_of(read_pasted(text), Wishes(**wishes))  # type: ignore[arg-type]


def test_columns_that_measure_nothing_are_left_out_and_named() -> None:
    found = made(WINES)
    assert found.points.features == (
        "alcohol", "magnesium", "colour", "made year", "made month", "made weekday", "made days",
    )  # fmt: skip
    assert (found.points.target, len(found.points.classes)) == ("quality", 4)
    assert "The dates of 'made' are used as year, month, weekday and days." in found.notices
    assert (
        "Left out are 'rownames' (row numbers), 'id' (an id), 'name' (every word is different) and 'note' (free text)."
        in found.notices
    )
    assert "The target is 'quality'." in found.notices
    days = found.points.X[:, found.points.features.index("made days")]
    assert days.min() == 0.0
    assert days.max() == 1680.0  # from 1990-01-10 to 1994-08-17


@pytest.mark.parametrize(
    ("header", "needs", "target"),
    [
        ("species,a,b", "any", "species"),
        ("a,SalePrice,b", "values", "SalePrice"),
        ("a,b,c", "any", "c"),
        ("a,b,c", "none", None),
        ("outcome,species,a", "any", "outcome"),
    ],
)
def test_the_target_is_named_like_one_or_is_the_last_column(header: str, needs: str, target: str | None) -> None:
    rows = "".join(f"{k % 3 + 0.5},{k * 0.7},{k * k % 13 + 0.1}\n" for k in range(20))
    table = read_pasted(f"{header}\n{rows}")
    roles = understood(table, Wishes(needs=needs)).roles  # type: ignore[arg-type]
    chosen = [column.name for column, role in zip(table.columns, roles) if role in ("target", "class")]
    assert chosen == ([] if target is None else [target])


@pytest.mark.parametrize(("needs", "kind"), [("classes", "class"), ("values", "target"), ("any", "class")])
def test_the_method_decides_what_a_target_of_few_whole_numbers_is(needs: str, kind: str) -> None:
    table = read_pasted("a,contacts\n" + "".join(f"{k}.5,{k % 15}\n" for k in range(40)))
    assert understood(table, Wishes("contacts", needs)).roles[1] == kind  # type: ignore[arg-type]
    if needs == "values":
        assert points_of(table, Wishes("contacts", needs)).points.y.tolist()[:3] == [0.0, 1.0, 2.0]  # type: ignore[union-attr]


def test_few_rows_with_gaps_go_many_are_filled_and_an_empty_half_is_left_out() -> None:
    rows = [
        f"{k},{k % 7 if k % 3 else ''},{'' if k == 5 else k * 2.5},{k if k < 30 else ''},{k % 2}" for k in range(100)
    ]
    found = made("start,often,once,half,class\n" + "\n".join(rows))
    assert found.points.features == ("often", "once")
    assert found.points.n == 99
    assert found.notices[-2:] == (
        "1 of 100 rows has no 'once' and is left out.",
        "34 of 100 values of 'often' are missing and filled with the median (3).",
    )
    assert "'half' (70 of 100 values are missing)" in found.notices[0]


def test_marks_of_gaps_and_a_few_words_among_numbers_are_gaps() -> None:
    cells = [str(k) for k in range(60)]
    cells[7], cells[9] = "-", "about 9"
    found = made("a,b,class\n" + "".join(f"{k % 9}.5,{cell},{k % 2}\n" for k, cell in enumerate(cells)))
    assert "1 cell of 'b' is no number and counts as missing (row 10 is 'about 9')." in found.notices
    assert "2 of 60 rows have no 'b' and are left out." in found.notices
    assert found.points.features == ("a", "b")
    levels = made("a,size,class\n" + "".join(f"{k}.5,{['1', '2', '3+'][k % 3]},{k % 2}\n" for k in range(30)))
    assert dict(levels.points.categories) == {1: ("1", "2", "3+")}


def test_a_column_that_gives_the_target_away_is_named() -> None:
    found = made("a,alive,survived\n" + "".join(f"{k}.5,{['no', 'yes'][k % 2]},{k % 2}\n" for k in range(30)))
    assert "'alive' alone gives 'survived' away." in found.notices


def test_wishes_overrule_what_is_found_out() -> None:
    found = made(WINES, target="alcohol", ignore=("colour",), category=("quality",), needs="values")
    assert found.points.target == "alcohol"
    assert "colour" not in found.points.features
    assert [found.points.features[j] for j, _ in found.points.categories] == ["quality"]
    only = made(WINES, features=("alcohol", "id"), target="")
    assert (only.points.features, only.points.y) == (("id", "alcohol"), None)


def test_a_table_of_row_numbers_only_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "\n".join(map(str, range(1, 30))))
    assert read_points(path).points.X[:, 0].tolist() == list(range(1, 30))


MIXED = Points(
    [[1.0, 0.0, 2.0], [3.0, 1.0, 0.0], [5.0, 1.0, 1.0]],
    np.array([0, 1, 1]),
    ("height", "sex", "region"),
    ("a", "b"),
    categories={1: ("f", "m"), 2: ("n", "s", "w")},
)


def test_categories_become_indicator_columns_and_come_back() -> None:
    measured = as_indicators(MIXED)
    assert measured.features == ("height", "sex = m", "region = n", "region = s", "region = w")
    assert measured.X.tolist() == [[1, 0, 0, 0, 1], [3, 1, 1, 0, 0], [5, 1, 0, 1, 0]]
    back = as_categories(measured)
    assert (back.features, back.categories, back.X.tolist()) == (MIXED.features, MIXED.categories, MIXED.X.tolist())
    assert as_indicators(measured) is measured
    again = Points.from_arrays(measured.arrays(), measured.facts())
    assert again.indicators == measured.indicators


def test_a_category_of_one_value_is_a_column_of_ones(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a,b,c\n1,2,x\n")
    given = read_points(path, Wishes("")).points
    measured = as_indicators(given)
    assert (measured.features, measured.X.tolist()) == (("a", "b", "c = x"), [[1.0, 2.0, 1.0]])
    assert as_categories(measured).X.tolist() == given.X.tolist()


def test_indicators_keep_their_zeros_and_ones_on_another_scale() -> None:
    data, _ = scaled(as_indicators(MIXED), "standardised")
    assert data.X[:, 1:].tolist() == as_indicators(MIXED).X[:, 1:].tolist()
    assert data.X[:, 0].tolist() == pytest.approx([-(1.5**0.5), 0.0, 1.5**0.5])


def test_trees_keep_categories_and_scale_others_get_what_they_measure() -> None:
    unlike = Points(MIXED.X * [100.0, 1.0, 1.0] + [[0.0, 0.0, 0.0]], MIXED.y, MIXED.features, MIXED.classes,
                    categories=MIXED.categories)  # fmt: skip
    assert ready_for(find("decision_tree"), unlike)[0].X.tolist() == unlike.X.tolist()
    wide = Points(np.column_stack([unlike.X[:, 0], [0.1, 0.3, 0.2]]), unlike.y, ("height", "hue"), unlike.classes)
    data, _, words = ready_for(find("k_means"), wide)
    assert data.scale == "standardised"
    assert (
        words
        == "The features are standardised: the standard deviations of 'height' (163.3) and 'hue' (0.08165) are unlike."
    )
    assert suggested_scale(find("linear_regression"), wide) == ("given", "")


@pytest.mark.parametrize(
    "text",
    [
        "height  weight kind\n1.5   2  u\n2.5  3  v\n3.5  5  u\n",
        "# measured in May\nheight  weight kind\n1.5   2  u\n2.5  3  v\n3.5  5  u\n",
        '   height  weight kind\n"1 a"  1.5   2  u\n"2 b"  2.5  3  v\n"3 c"  3.5  5  u\n',
    ],
)
def test_blanks_stand_between_the_columns(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    found = read_points(path, Wishes("kind", ignore=("rownames",) if '"' in text else ())).points
    assert found.X.tolist() == [[1.5, 2.0], [2.5, 3.0], [3.5, 5.0]]
    assert found.features == ("height", "weight")
    assert found.classes == ("u", "v")
