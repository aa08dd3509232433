"""What a soak finds fault with."""

from tests.soak import faults

FIRST = {"threads": 4, "files": 8, "widgets": 500, "memory": 400}


def test_what_grows_after_the_first_minutes_is_named():
    before = (1.0, FIRST | {"widgets": 100, "memory": 100})  # until then anything may
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"memory": 419})], 5.0) == []
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"memory": 421})], 5.0) == ["memory grew by 5.2 %"]
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"widgets": 501})], 5.0) == ["widgets grew from 500 to 501"]


def rests(**numbers):
    return [(5.0 + at, FIRST | {name: row[at] for name, row in numbers.items()}) for at in range(10)]


def test_what_one_rest_holds_is_not_growth():
    assert faults(rests(memory=[400, 400, 401, 399, 400, 400, 480, 402, 401, 480]), 5.0) == []
    assert faults(rests(memory=[300, 400, 401, 399, 400, 400, 401, 402, 401, 400]), 5.0) == []
    assert faults(rests(threads=[4, 4, 4, 4, 4, 4, 4, 5, 4, 4], files=[8, 7, 8, 8, 8, 7, 8, 8, 9, 8]), 5.0) == []


def test_a_step_and_a_slope_are_growth():
    assert faults(rests(memory=[400] * 5 + [421] * 5), 5.0) == ["memory grew by 5.2 %"]
    assert faults(rests(memory=[400 + 5 * at for at in range(10)]), 5.0) == ["memory grew by 6.1 %"]
    assert faults(rests(memory=[400 + 3 * at for at in range(10)]), 5.0) == []
    assert faults(rests(widgets=[500, 500, 500, 500, 500, 500, 500, 501, 501, 501]), 5.0) == [
        "widgets grew from 500 to 501"
    ]
    assert faults(rests(threads=[4, 5, 4, 4, 4, 5, 5, 4, 5, 5]), 5.0) == ["threads grew from 4 to 5"]
