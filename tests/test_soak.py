"""What a soak finds fault with."""

from tests.soak import faults

FIRST = {"threads": 4, "files": 8, "widgets": 500, "memory": 400}


def test_what_grows_after_the_first_minutes_is_named():
    before = (1.0, FIRST | {"widgets": 100, "memory": 100})  # until then anything may
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"memory": 419})], 5.0) == []
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"memory": 421})], 5.0) == ["memory grew by 5.2 %"]
    assert faults([before, (5.0, FIRST), (6.0, FIRST | {"widgets": 501})], 5.0) == ["widgets grew from 500 to 501"]
