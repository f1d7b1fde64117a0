"""`show`: what a workflow lays before a person."""

import pytest

from tidegate.blocks.interactive import ConfirmOperation
from tidegate.blocks.registry import catalog
from tidegate.errors import InputsError
from tidegate.model.base import Json
from tidegate.model.exhibit import Exhibit, ExhibitKind, Source


def holds(value: Json) -> bool:
    """Tell a text with a reference in it, as the loader does."""
    return isinstance(value, str) and "${" in value


def shown(*items: Json) -> tuple[Exhibit, ...]:
    """Return what a question shows, not yet frozen."""
    return ConfirmOperation().ask({"message": "m", "show": list(items)}).show


def test_a_text_is_shown_as_it_is_and_data_as_json() -> None:
    """Each has a title, its own or a number."""
    assert shown("plain", {"title": "Plan", "text": "a\nb"}, {"text": {"n": [1]}}) == (
        Exhibit(title="Exhibit 1", text="plain"),
        Exhibit(title="Plan", text="a\nb"),
        Exhibit(title="Exhibit 3", text='{\n  "n": [\n    1\n  ]\n}'),
    )


def test_files_and_differences_are_still_to_be_read() -> None:
    """Asking reads nothing; a path is only taken where it says `file`."""
    assert shown(
        {"file": "out/plan"},
        {"title": "Change", "diff": {"from": {"file": "a"}, "to": {"text": "new"}}},
    ) == (
        Exhibit(title="out/plan", kind=ExhibitKind.FILE, sources=(Source(path="out/plan"),)),
        Exhibit(title="Change", kind=ExhibitKind.DIFF, sources=(Source(path="a"), Source(text="new"))),
    )


def test_a_long_text_keeps_both_ends() -> None:
    """With a mark between that says how much is missing."""
    (exhibit,) = shown("a" * 100_000 + "é" * 50_000 + "end")

    assert exhibit.left_out == 200_003 - 64 * 1024
    assert f"\n[... {exhibit.left_out:,} bytes are left out here ...]\n" in exhibit.text
    assert exhibit.text.startswith("a" * 49_000)
    assert exhibit.text.endswith("éend")


@pytest.mark.parametrize(
    ("show", "message"),
    [
        ("x", "'show' must be a list of exhibits (a text, {text: ...}, {file: path} or {diff: "),
        ([""], "'show' holds nothing as its exhibit 1"),
        (["x"] * 21, "'show' holds 21 exhibits; at most 20"),
        ([{"fle": "x"}], "'show' has an unknown key 'fle' in exhibit 1: it takes title, text, file, diff"),
        ([{"title": "x"}], "'show' has, in exhibit 1, none of text, file, diff: exactly one is needed"),
        ([{"text": "x", "file": "y"}], "'show' has, in exhibit 1, more than one of text, file, diff"),
        ([{"text": "x", "title": []}], "'show' has, as the title of exhibit 1, a list; it must be text"),
        ([{"file": ["x"]}], "'show' has, as the file of exhibit 1, a list; it must be a path"),
        ([{"file": "a\0b"}], "'show' has, as the file of exhibit 1"),
        ([{"diff": "x"}], "'show' has a diff in exhibit 1 that needs exactly 'from' and 'to'"),
        ([{"diff": {"from": {"text": "x"}}}], "'show' has a diff in exhibit 1 that needs exactly"),
        (
            [{"diff": {"from": "a.txt", "to": {"text": "x"}}}],
            "'show' has, as 'from' of exhibit 1, 'a.txt': write {file: path} or {text: ...}",
        ),
        (
            [{"diff": {"from": {"text": "x"}, "to": {"path": "x"}}}],
            "'show' has an unknown key 'path' in 'to' of",
        ),
    ],
)
def test_nothing_is_guessed(show: Json, message: str) -> None:
    """The shape that is needed is in the message; in the file, and when it is asked."""
    (problem,) = catalog()["ConfirmOperation"].check({"message": "m", "show": show}, holds)

    assert problem.path == ("show",)
    assert problem.message.startswith(message)
    with pytest.raises(InputsError) as caught:
        ConfirmOperation().ask({"message": "m", "show": show})
    assert message in str(caught.value)


def test_a_reference_hides_no_other_fault() -> None:
    """A text with a reference is a text already; the whole list may be a reference, too."""
    check = catalog()["ConfirmOperation"].check
    good: list[Json] = ["${a.stdout}", {"title": "${t}", "file": "${f}"}]

    assert check({"message": "m", "show": good}, holds) == ()
    assert check({"message": "m", "show": "${a.exhibits}"}, holds) == ()
    assert [problem.path for problem in check({"message": "m", "show": [*good, {"txt": "x"}]}, holds)] == [
        ("show",)
    ]
