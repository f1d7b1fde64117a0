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


FORM = """
    name: form
    blocks:
      - id: ask
        type: AskForm
        inputs:
          message: "How?"
          comment: required
          show: [{title: Plan, file: plan.txt}, {file: gone.txt}]
          fields:
            - {id: size, choices: [small, large]}
            - {id: replicas, input_type: integer, min: 1, default: 2}
            - {id: note, required: false}
      - {id: use, type: Shell, depends_on: [ask], inputs: {command: "echo ${ask.values.size} ${ask.values.replicas}"}}
    outputs: {values: "${ask.values}", said: "${use.stdout}"}
"""

REGIONS = """
    name: regions
    blocks:
      - id: pick
        type: AskChoice
        inputs: {question: "Where?", choices: [eu, us, "a,b"], multiple: true}
    outputs: {picked: "${pick.choices}", indexes: "${pick.choice_indexes}"}
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


def test_a_form_is_answered_by_its_fields(tidegate: Tidegate) -> None:
    """All faults are told at once; the same again is success, something else a conflict."""
    tidegate.file("plan.txt", "2 to add\n")
    tidegate.runs_of(FORM, {})
    (pause,) = tidegate.call("inbox", "--json").document["pauses"]
    gate = pause["pause_id"]
    good = ["--field", "size=1", "--field", "replicas=3"]

    wrong, twice, both, silent = tidegate.together(
        ["answer", gate, "--field", "replicas=0", "--field", "note=x", "--field", "sise=1", "--comment", "c"],
        ["answer", gate, "--field", "size=1", "--field", "size=2"],
        ["answer", gate, "{}", *good],
        ["answer", gate, *good],
    )
    done = tidegate.call("answer", gate, *good, "--comment", "as agreed", "--json")
    again, other = tidegate.together(
        ["answer", gate, '{"size": "small", "replicas": 3}', "--comment", "twice"],
        ["answer", gate, "--field", "size=large", "--comment", "no"],
    )

    assert [call.code for call in (wrong, twice, both, silent)] == [2] * 4
    assert "field 'size': is required: type one of small, large" in wrong.err
    assert "field 'replicas': a whole number, at least 1 is asked for" in wrong.err
    assert "there is no field 'sise' (did you mean 'size'?)" in wrong.err
    assert "--field size=... is given twice" in twice.err
    assert "not both" in both.err
    assert "a comment is required with this answer" in silent.err
    assert done.document["outputs"] == {
        "values": {"size": "small", "replicas": 3, "note": None},
        "said": "small 3",
    }
    assert again.code == 0
    assert other.code == 6
    assert "size: small, replicas: 3, note: nothing" in other.err


def test_a_program_is_told_what_it_may_answer(tidegate: Tidegate) -> None:
    """A schema of the value, the fields, whether a comment is needed, and what is shown as it was then."""
    tidegate.file("plan.txt", "2 to add\n")
    tidegate.runs_of(FORM, {})
    tidegate.file("plan.txt", "900 to destroy\n")
    (pause,) = tidegate.call("inbox", "--json").document["pauses"]

    assert pause["kind"] == "form"
    assert pause["comment"] == "required"
    assert pause["expected_response_schema"]["required"] == ["size"]
    assert [field["id"] for field in pause["fields"]] == ["size", "replicas", "note"]
    assert pause["fields"][1]["default"] == 2
    assert [(item["title"], item["kind"], item["text"], item["size"]) for item in pause["show"]] == [
        ("Plan", "file", "2 to add\n", 9),
        ("gone.txt", "file", "gone.txt cannot be read: no such file or directory", None),
    ]


def test_several_choices_may_come_from_standard_input(tidegate: Tidegate) -> None:
    """One on each line, so that a comma is no trouble; --field is for forms only."""
    (run_id,) = tidegate.runs_of(REGIONS, {})

    no_form = tidegate.call("answer", run_id, "--field", "a=b")
    done = tidegate.call("answer", run_id, "-", "--json", stdin="a,b\neu\n")

    assert no_form.code == 2
    assert "--field is for forms" in no_form.err
    assert done.document["outputs"] == {"picked": ["eu", "a,b"], "indexes": [0, 2]}


def test_a_form_is_filled_in_at_a_terminal(tidegate: Tidegate) -> None:
    """What is shown first, then each field, all of it once more, and the comment that is needed."""
    tidegate.file("plan.txt", "2 to add\n")
    (run_id,) = tidegate.runs_of(FORM, {})

    done = tidegate.at_terminal("answer", run_id, typed=["large\n", "\n", "\n", "yes\n", "as agreed\n"])

    assert done.code == 0
    assert (
        done.out.index("-- Plan (file, 9 bytes, sha256 ")
        < done.out.index("  2 to add")
        < done.out.index("How?")
    )
    assert "1. size: large\n2. replicas: 2\n3. note: nothing" in done.out
    assert "ana answered: size: large, replicas: 2, note: nothing" in done.out


FORESEEN = """
name: foreseen
blocks:
  - {id: gate, type: ConfirmOperation, inputs: {message: "Go?"}}
  - {id: ship, type: Shell, depends_on: [gate], inputs: {command: "echo shipped >> log"}}
  - {id: check, type: Shell, effect: pure, depends_on: [ship], condition: "${ship.exit_code} == 0", inputs: {command: "true"}}
"""


def test_a_dry_run_says_what_an_answer_would_lead_to(tidegate: Tidegate) -> None:
    """And sends nothing; an answer that would be refused is, with the same exit code."""
    tidegate.file("foreseen.yaml", FORESEEN)
    run = tidegate.call("run", "foreseen.yaml", "--json").document["run_id"]
    yes = tidegate.call("answer", run, "yes", "--dry-run")
    no = tidegate.call("answer", run, "no", "--dry-run", "--json").document
    any_ = tidegate.call("answer", run, "--dry-run")
    wrong = tidegate.call("answer", run, "perhaps", "--dry-run")

    assert yes.code == 0
    assert "at once  ship   Shell" in yes.out
    assert "has an effect outside; echo shipped >> log" in yes.out
    assert "later    check  Shell           only if ${ship.exit_code} == 0" in yes.out
    assert "effects outside are real: ship" in yes.out
    assert (no["run_ends"], no["block_ends"]) == ("rejected", "rejected")
    assert {block["block"]: block["ahead"] for block in no["blocks"]} == {
        "ship": "skipped",
        "check": "skipped",
    }
    assert "any answer to pause_" in any_.out
    assert (wrong.code, "yes or no" in wrong.err) == (2, True)
    assert not (tidegate.folder / "log").exists()

    assert tidegate.call("answer", run, "yes").code == 0
    again = tidegate.call("answer", run, "no", "--dry-run")
    assert (again.code, "no open pause" in again.err or "takes no answer" in again.err) == (6, True)


def test_a_question_is_assigned_and_found_by_whose_it_is(tidegate: Tidegate) -> None:
    """To a name or to oneself; whoever else answers may do so, and who was asked stays in the history."""
    (run_id,) = tidegate.runs_of(CHOICE, {})

    given = tidegate.call("assign", run_id, "bo", "--by", "ada", "--note", "you know\x1b[31m it")
    lists, none, shown, nobody = tidegate.together(
        ["inbox", "--for", "bo", "--json"],
        ["inbox", "--for", "me"],
        ["runs", "show", run_id],
        ["assign", run_id],
    )
    assert given.out.strip().endswith("is bo's: Which?")
    (pause,) = lists.document["pauses"]
    assert (pause["assignee"], pause["assignment"]["by"]) == ("bo", "ada")
    assert none.out.startswith("Nothing waits for an answer of ")
    assert "assigned to bo by ada: you know it" in shown.out
    back = tidegate.call("assign", run_id, "--anybody", "--json")
    answered = tidegate.call("answer", run_id, "prod", "--by", "cy")
    late = tidegate.call("assign", pause["pause_id"], "me")
    assert (nobody.code, back.document["assignee"], answered.code, late.code) == (2, None, 0, 6)
