"""`tidegate answer`: choices, several open pauses, prefixes, and asking at a terminal."""

from cli.calling import Tidegate

CHOICE = """
    name: choice
    blocks:
      - id: pick
        type: AskChoice
        inputs: {question: "Which?", choices: [nonprod, prod, prod-eu, "no", not now, Prod team]}
    outputs: {picked: "${pick.choice}", index: "${pick.choice_index}"}
"""

SEVERAL = """
    name: several
    blocks:
      - {id: one, type: ConfirmOperation, inputs: {message: "One?", on_reject: continue}}
      - {id: two, type: ConfirmOperation, inputs: {message: "Two?", on_reject: continue}}
      - {id: work, type: Shell, inputs: {command: "true"}}
    outputs: {one: "${one.confirmed}", two: "${two.confirmed}"}
"""

TEXT = """
    name: text
    blocks:
      - {id: number, type: GetInput, inputs: {prompt: "How many?", input_type: integer, min: -9, max: 9}}
      - id: notes
        type: GetInput
        depends_on: [number]
        inputs: {prompt: "Notes?", multiline: true, required: false}
    outputs: {number: "${number.input_value}", notes: "${notes.input_value}"}
"""


def test_a_choice_is_its_text_or_its_number_and_nothing_near_it(tidegate: Tidegate) -> None:
    """Refused answers exit 2, name every option, leave the pause open and stay in the history."""
    (run_id,) = tidegate.runs_of(CHOICE, {})

    *refused, still_open = tidegate.together(
        *[["answer", run_id, word] for word in ("PROD", "not", "", "0")], ["inbox", "--json"]
    )
    gate = still_open.document["pauses"][0]["pause_id"]
    blank = tidegate.call("answer", gate, " prod ", "--json")

    assert [done.code for done in refused] == [2] * 4
    for done in refused:
        assert (
            "type one of nonprod, prod, prod-eu, no, not now, Prod team, or its number (1 to 6)" in done.err
        )
    assert still_open.document["total"] == 1
    assert blank.document["outputs"]["picked"] == "prod"


def test_of_several_open_pauses_one_must_be_named(tidegate: Tidegate) -> None:
    """By its id, or by its block; a block that has none open is told apart from one that does not exist."""
    (run_id,) = tidegate.runs_of(SEVERAL, {})

    unnamed, no_block, no_pause = tidegate.together(
        ["answer", run_id, "yes"],
        ["answer", run_id, "--block", "tow", "yes"],
        ["answer", run_id, "--block", "work", "yes", "--json"],
    )
    first = tidegate.call("answer", run_id[:8], "--block", "two", "no", "--comment", "not [b]today[/b]")
    last = tidegate.call("answer", run_id, "yes", "--json")

    assert (unnamed.code, no_block.code, no_pause.code) == (2, 7, 7)
    assert "(one)" in unnamed.err
    assert "(two)" in unnamed.err
    assert "it has one, two, work" in no_block.err
    assert no_pause.error_type == "PauseNotFound"
    assert first.code == 3
    assert "waits for an answer at block 'one'" in first.out
    assert last.document["outputs"] == {"one": True, "two": False}


def test_at_a_terminal_it_asks_until_the_answer_counts(tidegate: Tidegate) -> None:
    """With the rule; an end of input answers nothing. Without a terminal it exits 2."""
    (run_id,) = tidegate.runs_of(TEXT, {})

    no_terminal, option = tidegate.together(["answer", run_id], ["answer", run_id, "-5"])
    ended = tidegate.at_terminal("answer", run_id, typed=["\x04"])
    number = tidegate.at_terminal("answer", run_id, typed=["12\n", "-4\n"])
    notes = tidegate.at_terminal("answer", run_id, typed=["a\nb\n\x04"])

    assert no_terminal.code == 2
    assert "there is no terminal to ask at: a whole number from -9 to 9" in no_terminal.err
    assert option.code == 2
    assert "-5" in option.err
    assert ended.code == 2
    assert "nothing was answered; the pause stays open" in ended.out
    assert number.code == 3
    assert number.out.count("a whole number from -9 to 9") >= 2
    assert "ana answered: -4" in number.out
    assert notes.code == 0
    assert "output number = -4" in notes.out
    assert "output notes = a⏎b\n" in notes.out


def test_an_ambiguous_prefix_is_refused_with_the_candidates(tidegate: Tidegate) -> None:
    """Never the first that fits."""
    tidegate.runs_of(CHOICE, {}, {})
    ambiguous, inbox = tidegate.together(["answer", "pause_", "prod"], ["inbox", "--json"])
    pauses = [pause["pause_id"] for pause in inbox.document["pauses"]]
    exact = tidegate.call("answer", pauses[1][:-2], "prod")

    assert ambiguous.code == 2
    assert all(pause in ambiguous.err for pause in pauses)
    assert "type a few more characters" in ambiguous.err
    assert exact.code == 0
