"""What is brought back with another method suits it, or its example comes."""

import dataclasses

from algorithms import find
from mlviz.data.spec import load_data
from mlviz.session.document import Document


def test_points_without_a_target_are_not_brought_back_to_be_refused():
    chain = load_data(find("hidden_markov").example)
    bare = dataclasses.replace(load_data("swiss_roll(n=60,seed=1)"), y=None, classes=())
    document = Document(bare, "pca").with_data(chain, "hidden_markov")
    assert document.with_algorithm("isomap").data is bare
    wanted = load_data(find("cross_validation").example)
    found = document.with_algorithm("cross_validation", lambda method: wanted)
    assert (found.data, found.source) == (wanted, find("cross_validation").example)
    labelled = Document(load_data("moons(n=60,seed=1)"), "pca").with_data(chain, "hidden_markov")
    assert labelled.with_algorithm("cross_validation", lambda method: wanted).data.name == "moons"
