"""Several choices, dates, JSON documents, comments, and what an empty answer is."""

import pytest

from tidegate.errors import InvalidAnswer
from tidegate.model.base import Json
from tidegate.model.prompt import (
    ChoicePrompt,
    CommentRule,
    ConfirmPrompt,
    Evidence,
    InputKind,
    InputPrompt,
    RecoveryPrompt,
    check_comment,
    describe_value,
    same_value,
)

REGIONS = ChoicePrompt(question="Where?", choices=("eu", "us", "ap", "2", "a,b"), multiple=True, max=3)
DAY = InputPrompt(prompt="When?", input_type=InputKind.DATE, earliest="2026-02-01", latest="2026-12-31")
DOCUMENT = InputPrompt(prompt="What?", input_type=InputKind.JSON)


@pytest.mark.parametrize(
    ("raw", "chosen"),
    [
        ("us", ["us"]),
        ("us, eu", ["eu", "us"]),
        ("3,1", ["eu", "ap"]),
        ("ap\neu\n", ["eu", "ap"]),
        ("eu,eu, 1", ["eu"]),
        ("2", ["2"]),
        ('["us", "eu"]', ["eu", "us"]),
        ("[1, 2]", ["eu", "2"]),
        ('["1", "3"]', ["eu", "ap"]),
    ],
)
def test_several_choices_are_texts_or_numbers(raw: str, chosen: list[str]) -> None:
    """With commas or line breaks between, or as a JSON list; the value is in the workflow's order."""
    assert REGIONS.parse(raw) == chosen


@pytest.mark.parametrize("raw", ["a,b", "5", '["a,b"]', "a,b\n", " a,b "])
def test_a_choice_that_holds_a_comma_stays_reachable(raw: str) -> None:
    """As the whole answer, by its number, in a JSON list, on a line of its own."""
    assert REGIONS.parse(raw) == ["a,b"]
    assert REGIONS.parse("eu\na,b") == ["eu", "a,b"]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("", "this names 0"),
        ("none", "this names 0"),
        ("eu,us,ap,2", "this names 4"),
        ("eu, e", "'e' is none of them"),
        ("eu,", "1 to 3 of eu, us, ap"),
        ("EU", "'EU' is none of them"),
        ("[true]", "is none of them"),
        ('{"eu": 1}', "is none of them"),
        ("0", "'0' is none of them"),
    ],
)
def test_too_few_too_many_and_strangers_are_refused(raw: str, problem: str) -> None:
    """With the rule: how many of what."""
    with pytest.raises(InvalidAnswer, match=problem) as caught:
        REGIONS.parse(raw)

    assert "type 1 to 3 of eu, us, ap, 2, a,b, or their numbers (1 to 5), with commas between" in str(
        caught.value
    )


@pytest.mark.parametrize("raw", ["", " ", "none", "[]", "None"])
def test_choosing_nothing_is_an_answer_only_where_the_least_is_none(raw: str) -> None:
    """Silence is never taken for it elsewhere."""
    assert REGIONS.evolve(min=0).parse(raw) == []


def test_a_choice_called_none_comes_before_choosing_nothing() -> None:
    """Text comes first, always."""
    assert REGIONS.evolve(choices=("none", "all"), min=0).parse("none") == ["none"]


@pytest.mark.parametrize(("raw", "day"), [("2026-02-28", "2026-02-28"), (" 2026-12-31\n", "2026-12-31")])
def test_a_date_is_a_day_of_the_calendar(raw: str, day: str) -> None:
    """Blanks around it are dropped."""
    assert DAY.parse(raw) == day


@pytest.mark.parametrize(
    "raw",
    [
        "2026-02-30",
        "2026-2-3",
        "20260203",
        "2026-01-31",
        "2027-01-01",
        "today",
        "",
        "2026-W07-1",
        "\u0662026-02-03",
    ],
)
def test_what_is_no_date_in_range(raw: str) -> None:
    """The rule that is told names form and range."""
    with pytest.raises(InvalidAnswer, match="a date as YYYY-MM-DD from 2026-02-01 to 2026-12-31"):
        DAY.parse(raw)


@pytest.mark.parametrize("raw", ['{"a": [1, 2.5, null, true, "x"]}', "null", " 5 ", '"text"', "[]"])
def test_a_json_document_is_its_value(raw: str) -> None:
    """Whatever JSON can say."""
    import json

    assert same_value(DOCUMENT.parse(raw), json.loads(raw))


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("", "JSON is asked for"),
        ("{a: 1}", r"no JSON: .*line 1, column 2"),
        ('{"a": 1, "a": 2}', 'the key "a" twice'),
        ("[" * 33 + "]" * 33, "more than 32 deep"),
        ("[" * 60_000, "more than 32 deep"),
        ("NaN", "NaN, which is no number"),
        ("1e999", "too large"),
        ("9" * 5_000, "5000 digits"),
        (r'"\ud800"', "no text"),
        (r'{"\u0000": 1}', "no text"),
        ('"' + "x" * 70_000 + '"', "at most 65,536"),
    ],
)
def test_json_that_is_refused(raw: str, problem: str) -> None:
    """What readers take in different ways, or a journal cannot hold."""
    with pytest.raises(InvalidAnswer, match=problem):
        DOCUMENT.parse(raw)


def test_lists_and_mappings_inside_each_other_end_at_32() -> None:
    """So deep is still an answer."""
    assert DOCUMENT.parse("[" * 32 + "]" * 32)


@pytest.mark.parametrize("kind", [kind for kind in InputKind if kind is not InputKind.SECRET])
def test_an_empty_optional_answer_is_no_value_and_an_empty_text_is_one(kind: InputKind) -> None:
    """An empty text is what was submitted; null says that no number, date or document was given."""
    prompt = InputPrompt(prompt="?", input_type=kind, required=False)
    default = {
        "integer": "5",
        "number": "5",
        "boolean": "no",
        "date": "2026-01-01",
        "json": "[]",
        "string": "x",
    }

    assert prompt.parse("") == ("" if kind is InputKind.STRING else None)
    assert prompt.evolve(default=default[kind]).parse("") == prompt.parse(default[kind])


@pytest.mark.parametrize("kind", list(InputKind))
def test_an_empty_answer_that_is_required_is_refused(kind: InputKind) -> None:
    """Whatever its type."""
    with pytest.raises(InvalidAnswer):
        InputPrompt(prompt="?", input_type=kind).parse("")


def test_a_comment_is_required_as_the_prompt_says() -> None:
    """Always, or with a no; blanks are no comment."""
    always = ConfirmPrompt(message="?", comment_rule=CommentRule.REQUIRED)
    with_no = ConfirmPrompt(message="?", comment_rule=CommentRule.ON_REJECT)

    assert check_comment(ConfirmPrompt(message="?"), True, "") == ""
    assert check_comment(always, True, " why\nso \n") == "why\nso"
    assert check_comment(with_no, True, "") == ""
    assert check_comment(with_no, False, "no") == "no"
    with pytest.raises(InvalidAnswer, match="a comment is required with this answer"):
        check_comment(always, True, " \n")
    with pytest.raises(InvalidAnswer, match="a comment is required with a no"):
        check_comment(with_no, False, "")


@pytest.mark.parametrize(
    ("comment", "problem"), [("x" * 4_001, "4,001 characters"), ("a\0b", "NUL"), ("\ud800", "surrogate")]
)
def test_a_comment_that_is_no_comment_is_refused(comment: str, problem: str) -> None:
    """Also where none is needed."""
    with pytest.raises(InvalidAnswer, match=f"the comment .*{problem}"):
        check_comment(REGIONS, ["eu"], comment)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (None, "nothing"),
        ([], "none"),
        (["eu", "us"], "eu, us"),
        (
            {"env": "prod", "count": 3, "dry": False, "note": None},
            "env: prod, count: 3, dry: no, note: nothing",
        ),
        ({"a": {"b": [1, 2]}, "c": []}, "a: (b: [1, 2]), c: []"),
        ({"action": "rerun"}, "rerun"),
        ({"action": "done", "outputs": {"stdout": "ok"}}, "done with stdout: ok"),
        ({"action": "deploy", "count": 1}, "action: deploy, count: 1"),
        (2.5, "2.5"),
    ],
)
def test_a_value_in_words(value: Json, words: str) -> None:
    """As a person would say it, with nothing dropped."""
    assert describe_value(value) == words


def test_one_and_true_are_different_answers() -> None:
    """To Python they are equal; the order of keys does not matter."""
    assert not same_value([1], [True])
    assert not same_value(1, 1.0)
    assert same_value({"a": 1, "b": 2}, {"b": 2, "a": 1})


def test_recovery_asks_about_a_failure_in_its_own_words() -> None:
    """What happened, and what may be done about it."""
    cut_off = RecoveryPrompt(block="x", attempt=1, evidence=Evidence(started_at=0.0))
    failed = cut_off.evolve(failure="exit code 3")

    assert (
        failed.text
        == "Block 'x' failed: exit code 3. Run it again, mark it as done, skip it, or let it fail?"
    )
    assert "fail (let it fail)" in failed.rule
    assert (
        cut_off.text == "Block 'x' was running when its process died. It may or may not have done its work."
    )
    assert failed.parse("FAIL") == {"action": "fail"}
    assert failed.parse('done\n{"a": [1]}') == {"action": "done", "outputs": {"a": [1]}}
    with pytest.raises(InvalidAnswer, match="twice"):
        failed.parse('done {"a": 1, "a": 2}')
