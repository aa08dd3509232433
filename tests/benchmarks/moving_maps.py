"""Maps whose points move into place, against scikit-learn's t-SNE: as many steps, and as trustworthy."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.manifold import TSNE, trustworthiness

from mlviz.data.generators import generate
from tests.benchmarks.match import Match


def matches(n: int) -> Iterator[Match]:
    """With a perplexity of 30, from principal components."""
    yield Match(
        "t_sne",
        "digits, perplexity 30, 1,000 iterations; the objective is the trustworthiness",
        generate("some_digits", n=n, seed=1),
        {"perplexity": 30.0, "iterations": 1000},
        TSNE(perplexity=30.0, max_iter=1000, init="pca", random_state=0),
        lambda ours, theirs: float(
            trustworthiness(ours.data.X, theirs.embedding_) - trustworthiness(ours.data.X, ours.model.embedding)
        ),
        0.02,
    )
