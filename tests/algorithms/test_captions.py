"""Captions and warnings as a student reads them: the faults of grammar and of form that were found once, nowhere again.

The recordings are those of the contract checks, on ordinary and on odd data, so nothing is played for this.
"""

import re

import pytest

from algorithms import all_algorithms
from algorithms._checks import cases
from algorithms._checks.rule import strict

NOUNS = (
    "centres|classes|clusters|coefficients|columns|components|coordinates|correlations|cuts|dimensions|digits|directions|"
    "distances|edges|entries|errors|examples|features|folds|functions|groups|graphs|iterations|layers|leaves|letters|"
    "links|merges|members|mistakes|models|moments|multipliers|neighbours|networks|nodes|observations|pairs|parameters|"
    "passes|paths|pieces|pixels|places|points|replicates|resamples|rounds|rows|runs|samples|series|settings|shapes|"
    "sides|splits|stages|starts|states|steps|stumps|substrings|symbols|terms|texts|trees|trials|units|values|variables|"
    "vectors|windows|words"
)
NOUN = "(?:" + "|".join(noun[:-3] + "y" if noun.endswith("ies") else noun[:-1] for noun in NOUNS.split("|")) + ")"
LABEL = r"(?<![a-zα-ω] )(?<![\w.,/·^=-])"
"""Not a number that names something (class 1), nor the end of a longer one."""
NUMBER = r"[-+−]?\d[\d.,]*(?:e[+-]?\d+)?"
FAULTS = {
    "one of several": rf"(?:{LABEL}|\b(?:of|and|the|with|at|in|by|to|only|or|than|after|for|from|has|have|is|are) )\b1 "
    rf"(?!series)(?:(?!(?:of|the|are|is|{NOUN})\b)[a-z-]+ ){{0,2}}?(?:{NOUNS})\b",
    "one and a verb": rf"\b1 (?:of [\d,]+ )?(?:(?!of\b)[a-z-]+ )?{NOUN}(?:e?s)? (?:that |which |still )?"
    r"(?:are|were|have|lie|weigh|miss|need|do|show)\b",
    "not nought": r"\b0 (?:of [\d,]+ )?\w+ are not 0\b",
    "from the same to the same": rf"\b(?:from|of|between) ({NUMBER}(?: %)?) (?:to|and) \1(?![\d.,]*\d)",
    "said twice": r"\b(\w+ [\d,]+): \1\b|\bStep [\d,]+: After [\d,]+ steps|\b([A-Za-z]{2,}) \2\b",
    "too many digits": r"(?<![\d.])(?!0\.0+[1-9]\d{0,3}(?!\d))\d+\.\d{7,}",  # 0.0001234 has four that count
    "too many per cent": r"(?<![\d.])\d{4,}(?:\.\d+)? ?%|\d,\d{3}(?:\.\d+)? ?%|e\+\d+ ?%",
    "% without a space": r"\d%",
    "and, and": r"(?<![\w'])[\w'’.]+ and [\w'’.]+ and [\w'’.]+",
    "class class": r"\b[Cc]lass '?class\b",
    "a private word": r"\bby squares\b|\bsquared whiskers\b|\bworth [\d.]+ coef|\bparted\b|\bleaves? over\b|"
    r"\bcrawls?\b|\busual machine|\bno pair is nearer\b|\bshorter than nothing\b",
}
"""What is wrong, and how it is found."""
PAPERS = re.compile(
    r"handbook|buhmann|orbanz|\bslides?['’]|\bthe slides?\b|\bslides? \d|\bthe notes\b|\bof the documents?\b|"
    r"\bdocuments?'",
    re.I,
)
"""Course papers that a reader outside the course has never seen; they belong in docstrings and references."""


def faults(text):
    """The names of what is wrong with a sentence."""
    return {name for name, pattern in FAULTS.items() if re.search(pattern, text, re.I)}


def sentences(algorithm):
    """Every different caption and warning of the recordings, with its phase."""
    found = {}
    odd = [played.frames for _, played in cases.on_odd_data(algorithm).values()]
    for frames in [*(recording.frames for recording in cases.recordings(algorithm)), *odd]:
        for frame in frames:
            found.setdefault(frame.caption, frame.phase)
            if frame.warning:
                found.setdefault(frame.warning, f"{frame.phase} (warning)")
    return found


def labels(algorithm):
    """What the form, the boards and the curves write about a method."""
    for field in algorithm.fields:
        yield from (field.doc, field.label, *map(str, field.choices))
    for item in (*algorithm.panels, *algorithm.metrics):
        yield getattr(item, "title", "") or item.label
    yield from (line.text for line in algorithm.pseudocode)


def found_in(algorithm):
    """What is wrong with a method, one line each."""
    wrong: dict[str, list[str]] = {}
    for sentence, phase in sentences(algorithm).items():
        for name in faults(sentence):
            wrong.setdefault(f"{name} in {phase}", []).append(sentence)
    return [f"{name} ({len(those)}): {those[0]}" for name, those in wrong.items()]


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_captions_and_warnings_can_be_read(algorithm):
    strict(cases.recordings)(algorithm)  # as the contract checks record them: a warning of NumPy is an error
    strict(cases.on_odd_data)(algorithm)
    wrong = found_in(algorithm)
    assert not wrong


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_no_course_paper_is_named_outside_the_reference(algorithm):
    named = [text for text in (*sentences(algorithm), *labels(algorithm)) if PAPERS.search(text)]
    assert not named


@pytest.mark.parametrize(
    ("fault", "caption"),
    [
        ("one of several", "1 points lie outside."),
        ("one of several", "All of 1 support vectors."),
        ("one of several", "There are 1 coefficients."),
        ("one and a verb", "1 of 240 points are wrong."),
        ("one and a verb", "1 point that weigh more."),
        ("one and a verb", "1 coefficient are set to 0."),
        ("not nought", "0 coefficients are not 0."),
        ("not nought", "0 of 10 coefficients are not 0."),
        ("from the same to the same", "J falls from 2169 to 2169."),
        ("from the same to the same", "The cost goes from 0 to 0: nothing changes."),
        ("from the same to the same", "They end between -67.9 and -67.9."),
        ("one of several", "It is 1 steps away."),
        ("one and a verb", "A chain with 1 state that show 3 symbols."),
        ("from the same to the same", "It goes from 1.2e-05 to 1.2e-05."),
        ("said twice", "Step 2: Step 2: J = 3."),
        ("said twice", "Step 541: After 270 steps J is 3."),
        ("said twice", "The the mean moves."),
        ("too many digits", "Point 1 is 0.18851919251246557."),
        ("too many per cent", "1993 % of the variance."),
        ("too many per cent", "It has 1.99e+03 % of the variance."),
        ("% without a space", "It has 19.3% of the variance."),
        ("and, and", "4 functions of x1 and x2 and x3."),
        ("class class", "Point 8 of class 'class 1' is wrong."),
        ("a private word", "The penalty is worth 8.98 coefficients."),
    ],
)
def test_each_fault_is_found(fault, caption):
    assert fault in faults(caption)


@pytest.mark.parametrize(
    "caption",
    [
        "Class 1 points to the left, component 1 explains 80 % of the variance.",
        "1 of 240 points is wrong, 2 points are not.",
        "J falls from 2169 to 2168, then from 1.5 to 1.52.",
        "Step 2: J = 3, in 1 series of 3.",
        "The mean of x1, x2 and x3 is 0.123456.",
        "0 of 10 coefficients differ from 0.",
        "Rows that add up to 1 are the steps of a walk; the loss is 0.0001234.",
        "The eigenvalue is 0.038: 1 edge joins points of different sign.",
        "Between 0 and 1 the weights of 10 points fall.",
    ],
)
def test_good_captions_are_left_alone(caption):
    assert faults(caption) == set()


@pytest.mark.parametrize(
    "text", ["As in the handbook.", "The slide's rule.", "The notes' λ is C.", "The documents' rule."]
)
def test_a_course_paper_is_found(text):
    assert PAPERS.search(text)


def test_a_fault_in_a_recording_is_reported(monkeypatch):
    method = all_algorithms()[0]
    monkeypatch.setattr("tests.algorithms.test_captions.sentences", lambda _: {"0.19 and 19% more.": "start"})
    assert found_in(method) == ["% without a space in start (1): 0.19 and 19% more."]
