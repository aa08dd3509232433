"""Parameters that several regression methods have in common, declared once."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol

from algorithms.maths.dictionaries import KERNELS, Kind
from algorithms.params import Advanced, Between, Doc, Group, Live, Log, When, Zero

Columns = Literal["as they are", "standardised"]
Intercept = Literal["free", "penalised", "none"]


class Functions(Protocol):
    """The parameters that say which functions are added up."""

    @property
    def dictionary(self) -> Kind: ...
    @property
    def degree(self) -> int: ...
    @property
    def width(self) -> float: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def intercept(self) -> Intercept: ...


FUNCTIONS = Group("functions")
DictionaryKnob = Annotated[
    Kind,
    FUNCTIONS,
    Doc(
        "The functions that are added up: powers, waves, bells in a row, powers of the logarithm, steps (Haar), or the"
        " axes of the feature space of a kernel."
    ),
]
DegreeKnob = Annotated[
    int,
    Between(0, 20),
    Live,
    FUNCTIONS,
    Doc(
        "How rich the dictionary is: the highest power, the number of waves or bumps, the levels of wavelets, or how"
        " often a kernel fits into the range of the data."
    ),
]
WidthKnob = Annotated[
    float,
    Between(0, 1000),
    Zero("automatic"),
    When("dictionary", "sine and cosine", "gaussian bumps", *KERNELS[1:]),
    FUNCTIONS,
    Doc(
        "Length of the longest wave; or the standard deviation of a bump in distances between neighbouring bumps, that"
        " of a kernel in ranges of the data divided by the degree; 0: as long as the data, or 1."
    ),
]
ColumnsKnob = Annotated[
    Columns,
    FUNCTIONS,
    Doc("Fit the coefficients of the functions themselves, or of columns with mean 0 and variance 1."),
]
InterceptKnob = Annotated[
    Intercept,
    Advanced,
    FUNCTIONS,
    Doc("Free of any penalty; one more column of ones like all others; or a curve without a constant."),
]
LamKnob = Annotated[
    float,
    Between(1e-6, 1e8),
    Log,
    Live,
    Doc("The strength λ of the penalty, beside the sum (not the mean) of the squared residuals."),
]
MixKnob = Annotated[
    float,
    Between(0, 1),
    Live,
    When("penalty", "elastic net"),
    Doc("The fraction α of the lasso in the elastic net: 0 is ridge, 1 is the lasso."),
]
DeltaKnob = Annotated[float, Between(1e-3, 1e3), Log, Live, Doc("Residuals beyond this count as outliers.")]
ComponentsKnob = Annotated[
    int,
    Between(0, 50),
    Zero("automatic"),
    Live,
    Doc(
        "How many singular directions of the columns are used, longest first; 0: all that are at least 1/30 as long"
        " as the longest."
    ),
]
BandKnob = Annotated[
    Literal["of the fit", "for new points", "none"],
    Doc("Where the true curve lies with a confidence of 95 %, or where new points fall."),
]
ResidualsKnob = Annotated[
    Literal["bars", "squares", "none"], Doc("Draw the residuals as bars, or as the squares whose area is the loss.")
]
SweepKnob = Annotated[bool, Doc("Afterwards also fit other strengths and sizes of the model: error curves and paths.")]
PairKnob = Annotated[
    tuple[int, ...],
    Between(0, 400),
    Advanced,
    Doc("The two coefficients in the picture of two, by number; 0 is the intercept."),
]
