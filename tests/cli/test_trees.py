"""Runs that start runs, and blocks with many items: listed, shown, followed and read without losing sight."""

import re

from cli.calling import Tidegate
from cli.sample import is_harmless

KID = """
    name: kid
    inputs: {who: {type: string, required: true}}
    blocks:
      - {id: gate, type: ConfirmOperation, inputs: {message: "Go ${who}?", operation: deploy}}
      - {id: work, type: Shell, depends_on: [gate], inputs: {command: "echo hello ${who}"}}
    outputs: {said: "${work.stdout}"}
"""

TOP = """
    name: top
    blocks:
      - {id: prep, type: Shell, inputs: {command: "echo prep"}}
      - id: deploy
        type: ExecuteWorkflow
        depends_on: [prep]
        for_each: {items: [red, green]}
        inputs: {workflow: kid, inputs: {who: "${item}"}}
      - {id: after, type: Shell, depends_on: [deploy], inputs: {command: "echo after"}}
"""

MANY = """
    name: many
    blocks:
      - id: each
        type: Shell
        for_each: {items: "${list.result}"}
        depends_on: [list]
        inputs: {command: "test ${item} != 7"}
      - {id: list, type: Shell, inputs: {command: "seq 60", parse: lines}}
"""

RETRIES = """
    name: retries
    blocks:
      - id: flaky
        type: Shell
        retry: {max_attempts: 3, delay: 0.2}
        inputs: {command: "test -e tried && exit 0; touch tried; exit 3"}
      - {id: nap, type: Wait, inputs: {duration: 200ms}}
"""


def test_a_tree_is_one_run_in_lists_and_shows_what_it_started(tidegate: Tidegate) -> None:
    """Nested lines have their path, questions come with theirs, children are listed when asked for."""
    tidegate.file("kid.yaml", KID)
    tidegate.file("top.yaml", TOP)
    run = tidegate.call("run", "top.yaml")
    top = run.out.split()[3]
    tops, everything, below, shown, text, inbox = tidegate.together(
        ["runs", "list", "--json"],
        ["runs", "list", "--all", "--json"],
        ["runs", "list", "--children", top, "--json"],
        ["runs", "show", top, "--json"],
        ["runs", "show", top],
        ["answer", top, "yes"],
    )

    assert run.code == 3
    assert "    deploy[red]: ◆ gate asks: Go red?\n" in run.out
    assert f"run {top} waits for an answer at block 'deploy[green]/gate' (confirm):" in run.out
    assert [one["run_id"] for one in tops.document["runs"]] == [top]
    assert everything.document["total"] == 3
    children = below.document["runs"]
    assert {child["path"] for child in children} == {"deploy[red]", "deploy[green]"}
    assert {child["parent_run_id"] for child in children} == {top}
    found = shown.document
    assert {child["run_id"] for child in found["children"]} == {child["run_id"] for child in children}
    assert len(found["pauses"]) == 2
    items = next(block for block in found["blocks"] if block["block"] == "deploy")["items"]
    assert (items["total"], items["counts"]) == (2, {"paused": 2})
    red = next(child["run_id"] for child in children if child["path"] == "deploy[red]")
    assert items["shown"][0]["child_run_id"] == red
    assert f"    paused      deploy[red]  run {red} of kid" in text.out
    assert f"  deploy[red]: {red} of kid  paused 0/2" in text.out
    assert inbox.code == 2
    assert "has 2 open pauses, name one of: " in inbox.err
    assert "(deploy[red]/gate)" in inbox.err


def test_output_of_a_child_run_stands_where_its_block_stands(tidegate: Tidegate) -> None:
    """Of all blocks, of one block, of one item; an unknown item is told which there are."""
    tidegate.file("kid.yaml", KID)
    tidegate.file("top.yaml", TOP)
    top = tidegate.call("run", "top.yaml").out.split()[3]
    for pause in tidegate.call("inbox", "--json").document["pauses"]:
        tidegate.call("answer", pause["pause_id"], "yes")
    everything, one, wrong = tidegate.together(
        ["logs", top], ["logs", top, "deploy[green]"], ["logs", top, "deploy[blue]"]
    )

    red, green = "-- deploy[red]/work\nhello red\n", "-- deploy[green]/work\nhello green\n"
    assert everything.out == f"-- prep\nprep\n{red}{green}-- after\nafter\n"
    assert one.out == green
    assert wrong.code == 7
    assert "it has deploy, deploy[red], deploy[green]" in wrong.err


def test_many_items_are_counted_and_failed_ones_named(tidegate: Tidegate) -> None:
    """A line a second instead of two for each; `show` names the failed ones first and counts the rest."""
    tidegate.file("many.yaml", MANY)
    run = tidegate.call("run", "many.yaml")
    top = run.out.split()[3]
    shown, more, document = tidegate.together(
        ["runs", "show", top], ["runs", "show", top, "--items", "3"], ["runs", "show", top, "--json"]
    )

    assert run.code == 1
    assert is_harmless(run.out)
    assert len(run.out.splitlines()) < 30
    assert "● each: 60 of 60 items done: 59 succeeded, 1 failed" in run.out
    assert re.findall(r"✗ each\[(\d+)\]", run.out) == ["7"]
    assert re.findall(r"each\[(\d+)\]\n|each\[(\d+)\]  ", shown.out)[0] != ("1", "")
    assert shown.out.index("failed      each[7]") < shown.out.index("succeeded   each[1]")
    assert "    … 40 more\n" in shown.out
    assert "    … 57 more\n" in more.out
    found = document.document
    assert [failure["block"] for failure in found["failures"]] == ["each", "each[7]"]
    assert len(found["blocks"][0]["items"]["shown"]) == 20


def test_retries_and_timers_say_when_they_go_on(tidegate: Tidegate) -> None:
    """As a time from then."""
    tidegate.file("retries.yaml", RETRIES)
    run = tidegate.call("run", "retries.yaml")

    assert run.code == 0
    assert re.search(r"✗ flaky: exit code 3; retry in (1|0\.\d) s", run.out)
    assert re.search(r"● nap goes on in (1|0\.\d) s", run.out)


def test_a_path_leads_through_the_runs_below(tidegate: Tidegate) -> None:
    """In `logs` and in what turns a run, as in `answer`."""
    leaf = """
        name: leaf
        inputs: {host: string}
        blocks:
          - {id: try, type: Shell, inputs: {command: "echo on ${host}; test -e ready"}}
    """
    middle = """
        name: middle
        blocks:
          - id: each
            type: ExecuteWorkflow
            for_each: [h1, a/b]
            inputs: {workflow: leaf, inputs: {host: "${item}"}}
    """
    tidegate.file("leaf.yaml", leaf)
    tidegate.file("middle.yaml", middle)
    tidegate.file(
        "top.yaml", "name: top\nblocks: [{id: sub, type: ExecuteWorkflow, inputs: {workflow: middle}}]\n"
    )
    top = tidegate.call("run", "top.yaml", "--json").document["run_id"]
    log = tidegate.call("logs", top, "sub/each[a/b]/try")
    (tidegate.folder / "ready").touch()
    again = tidegate.call("runs", "retry", top, "--block", "sub/each[a/b]/try")

    assert log.out == "on a/b\n"
    assert again.code == 1
    assert "✗ each: 1 of 2 items failed: each[h1]" in again.out
    assert tidegate.call("runs", "retry", top, "--block", "sub/each[h1]").code == 0
