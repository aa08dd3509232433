"""Something to try, as a document."""

from __future__ import annotations

import dataclasses

from algorithms.contract import Try
from mlviz.data.spec import parse_spec
from mlviz.session.document import Document
from mlviz.session.scaling import AS_GIVEN


def trying(document: Document, item: Try) -> Document:
    """The document's method alone on the data that are to be tried, with their parameters and the first seed."""
    method = document.method
    if method.accepts:
        recipe = parse_spec(item.data or method.example)
        document = document.with_data(recipe.make()).with_source(str(recipe))
        document = dataclasses.replace(document, scaling=AS_GIVEN).with_first_axes(recipe.axes)
    return dataclasses.replace(document.alone(), params=item.params, seed=0)
