"""Something to try, as a document."""

from __future__ import annotations

import dataclasses

from algorithms.contract import Algorithm, Try
from algorithms.data.scaling import AS_GIVEN
from mlviz.data.spec import parse_spec
from mlviz.session.document import Document


def trying(document: Document, method: Algorithm, item: Try) -> Document:
    """The method alone on the data that are to be tried, with their parameters and the first seed.

    Another method is tried on the data that are there.
    """
    if item.method:
        return dataclasses.replace(document.alone().with_algorithm(item.method), params=item.params, seed=0)
    document = document.with_algorithm(method.key, lambda _: parse_spec(method.example).make())
    if method.accepts:
        recipe = parse_spec(item.data or method.example)
        document = document.with_data(recipe.make()).with_source(str(recipe))
        document = dataclasses.replace(document, scaling=AS_GIVEN).with_first_axes(recipe.axes)
    return dataclasses.replace(document.alone(), params=item.params, seed=0)
