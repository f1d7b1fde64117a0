"""The samples that ship: each does to its end what it says, whatever people answer."""

import json
from pathlib import Path

import pytest

from samples.playing import SAMPLES, Stage
from tidegate.blocks.registry import catalog
from tidegate.errors import AnswerError, InvalidAnswer
from tidegate.model.answer import Reply
from tidegate.model.base import Json
from tidegate.model.events import RunStatus
from tidegate.model.ids import BlockId
from tidegate.model.listing import CheckpointFilter
from tidegate.model.policy import CheckpointKind
from tidegate.model.prompt import ChoicePrompt
from tidegate.workflows.loader import load_workflow

ONLY_DEV = {
    "to_dev": "succeeded",
    "to_staging": "skipped",
    "approve_production": "skipped",
    "to_production": "skipped",
}


GIVEN: dict[str, dict[str, Json]] = {
    "interactive-approval": {"project": "shop", "environment": "staging"},
    "long-migration": {"rows": 1},
    "release-gates": {"version": "1.5.3"},
    "release-phases": {"feature": "search"},
}
"""What the samples need that cannot be run without."""
ENDS = {"quality-report": RunStatus.FAILED} | dict.fromkeys(
    ("conditional-deploy", "long-migration", "retry-and-notify"), RunStatus.SUCCEEDED
)
"""As what a sample ends when nobody answers; all others wait for somebody."""


def temporary(ground: Stage) -> list[str]:
    """Return what lies in the folder for temporary files."""
    return sorted(path.name for path in (ground.folder.parent / "temporary").iterdir())


def _reply(raw: str) -> Reply:
    return Reply(raw=raw, by="bo", via="test")


# -- all of them -------------------------------------------------------------------------------


async def test_every_sample_runs_and_writes_nothing_into_the_folder_it_is_called_in(
    ground: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some end, most ask somebody; none leaves anything outside of temporary folders."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    names = [file.stem for file in sorted(SAMPLES.glob("*.yaml"))]
    plays = {name: await ground.sample(name, **GIVEN.get(name, {})) for name in names}

    assert len(names) >= 14
    ends = {name: await play.status() for name, play in plays.items()}
    assert ends == {name: ENDS.get(name, RunStatus.PAUSED) for name in names}
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("file", sorted(SAMPLES.rglob("*.yaml")), ids=lambda path: path.stem)
def test_a_sample_uses_no_block_that_needs_more_than_a_shell(file: Path) -> None:
    """No server, no package and no Python of one's own; and a reader is told what it is about."""
    definition = load_workflow(file, catalog()).definition

    assert not {block.type for block in definition.blocks} & {"Python", "HttpCall"}
    assert definition.name == file.stem
    assert file.read_text().startswith("# ")


# -- conditional-deploy ------------------------------------------------------------------------


async def test_a_join_behind_exclusive_branches_runs(ground: Stage) -> None:
    """Two of three branches are always skipped: that is no reason to skip what follows (W01, X17)."""
    play = await ground.sample("conditional-deploy", environment="dev", run_tests=False)

    blocks = await play.blocks()
    assert await play.status() is RunStatus.SUCCEEDED
    assert {block: blocks[block] for block in ONLY_DEV} == ONLY_DEV
    assert (blocks["test"], blocks["build"]) == ("skipped", "succeeded")
    assert await play.outputs() == {
        "deployed": "verified: dev runs image shop:9f31c0e",
        "report": "conditional-deploy to dev: succeeded\n"
        "tests skipped, dev succeeded, staging skipped, production skipped\n",
    }


async def test_production_asks_and_a_no_stops_the_join_but_not_the_report(ground: Stage) -> None:
    """Requiring approval asks somebody; a "no" needs a reason, and nothing is deployed."""
    play = await ground.sample("conditional-deploy", environment="production")
    with pytest.raises(InvalidAnswer, match="comment"):
        await play.say("approve_production", "no")
    await play.say("approve_production", "no", comment="not on a Friday")

    blocks, outputs = await play.blocks(), await play.outputs()
    assert await play.status() is RunStatus.REJECTED
    assert (blocks["to_production"], blocks["verify"]) == ("skipped", "skipped")
    assert outputs["deployed"] is None
    assert "to production: rejected" in str(outputs["report"])


# -- issue-wizard ------------------------------------------------------------------------------


HOSTILE = 'it\'s "broken"; touch owned $(touch owned) `touch owned`\n<END> ${text.input_value} [/b]'


async def test_what_a_person_types_ends_up_in_the_file_and_never_in_a_command(ground: Stage) -> None:
    """Five answers, of which one tries everything that a shell would run (W02)."""
    play = await ground.sample("issue-wizard")
    await play.says(text=HOSTILE, title="$(touch owned)", labelled="bug, docs", urgency="2", preview="yes")

    file = Path(str((await play.outputs())["file"]))
    lines = file.read_text().splitlines()
    assert lines[0] == "# $(touch owned)"
    assert "\n".join(lines[2:4]) == HOSTILE
    assert lines[-1] == 'labels: ["bug","docs"]; urgency: this week'
    assert not list(ground.folder.parent.rglob("owned"))


async def test_the_last_question_may_be_left_out_and_a_no_is_not_the_same(ground: Stage) -> None:
    """Skipped by a condition, the gate stops nothing; answered with no, it does."""
    answers = {"text": "t", "title": "t", "labelled": "", "urgency": "today"}
    without = await ground.sample("issue-wizard", auto_confirm=True)
    await without.says(**answers)
    refused = await ground.sample("issue-wizard")
    await refused.says(**answers, preview="no")

    assert (await without.blocks())["file_it"] == "succeeded"
    assert (await refused.blocks())["file_it"] == "skipped"
    assert await refused.status() is RunStatus.REJECTED


async def test_the_wizard_takes_no_label_that_is_not_offered_and_no_long_title(ground: Stage) -> None:
    """Labels are chosen from a list, not typed as text that something splits later."""
    play = await ground.sample("issue-wizard")
    await play.say("text", "t")
    with pytest.raises(InvalidAnswer, match="80"):
        await play.say("title", "x" * 81)
    await play.say("title", "x" * 80)
    with pytest.raises(InvalidAnswer, match="bug"):
        await play.say("labelled", "bug,enhancment")

    prompt = (await play.asked())["labelled"].prompt
    assert isinstance(prompt, ChoicePrompt)
    assert prompt.choices == ("bug", "enhancement", "docs")


# -- release-phases ----------------------------------------------------------------------------


async def test_each_phase_has_its_gate_and_passes_on_what_was_said(ground: Stage) -> None:
    """One question at a time, each about its own phase; named positions in the history; a tidy end (W03)."""
    play = await ground.sample("release-phases", feature="search")
    seen = []
    for phase, raw in (("plan", "yes"), ("build", "ok"), ("release", "approved")):
        (place, pause), *more = (await play.asked()).items()
        seen.append((place, pause.prompt.text, pause.prompt.show[0].text, len(more)))
        await play.say(f"{phase}/accept", raw)

    assert seen == [
        ("plan/accept", "Is the plan of search done?", "plan of search, after nothing", 0),
        ("build/accept", "Is the build of search done?", "build of search, after plan accepted with yes", 0),
        (
            "release/accept",
            "Is the release of search done?",
            "release of search, after build accepted with ok",
            0,
        ),
    ]
    assert await play.outputs() == {
        "phases": ["plan", "build", "release"],
        "released_by": "release accepted with approved",
    }
    kinds = CheckpointFilter(run_id=play.run_id, kinds=(CheckpointKind.EXPLICIT,))
    marks = await ground.world.history.checkpoints(kinds)
    assert sorted(mark.label for mark in marks) == ["search is built", "search is planned"]
    assert temporary(ground) == []


async def test_a_no_in_the_second_phase_ends_the_run_as_rejected(ground: Stage) -> None:
    """Everything after it is skipped, the clean-up runs, and the run is no success."""
    play = await ground.sample("release-phases", feature="search")
    await play.say("plan/accept", "yes")
    await play.say("build/accept", "no", comment="the tests are red")

    assert await play.status() is RunStatus.REJECTED
    assert await play.blocks() == {
        "folder": "succeeded",
        "plan": "succeeded",
        "build": "rejected",
        "release": "skipped",
        "diary": "skipped",
        "clean_up": "succeeded",
    }
    assert temporary(ground) == []


async def test_a_cancel_reaches_the_question_of_a_phase(ground: Stage) -> None:
    """The question is closed, nobody may answer it any more, and the folder is cleaned up."""
    play = await ground.sample("release-phases", feature="search")
    pause = (await play.asked())["plan/accept"]
    await ground.world.executor.cancel(play.run_id, by="ana", reason="enough")

    assert await play.status() is RunStatus.CANCELLED
    assert (await play.blocks())["plan"] == "cancelled"
    assert await play.asked() == {}
    with pytest.raises(AnswerError):
        await ground.world.executor.answer(pause.pause_id, _reply("yes"))
    assert (await ground.world.history.run_view(pause.run_id)).status is RunStatus.CANCELLED
    assert temporary(ground) == []


# -- plan-apply --------------------------------------------------------------------------------


async def test_exactly_the_plan_that_was_shown_is_applied(ground: Stage) -> None:
    """The reviewer sees the bytes, their hash, and what they change (W19)."""
    play = await ground.sample("plan-apply", replicas=7)
    prompt = (await play.asked())["approve"].prompt
    assert "+replicas: 7" in prompt.show[0].text
    assert prompt.show[1].text == "image: shop:1.4\nreplicas: 7\n"
    assert prompt.show[1].sha256 == (await play.outputs_of("plan"))["sha256"]

    await play.say("approve", "yes")

    assert await play.outputs() == {"applied": "image: shop:1.4\nreplicas: 7"}
    assert (await play.rest()).block(BlockId("plan")).attempt == 1
    assert temporary(ground) == []


async def test_a_plan_that_changed_after_it_was_approved_is_not_applied(ground: Stage) -> None:
    """What lies there is not what was read."""
    play = await ground.sample("plan-apply")
    await play.asked()
    plan = Path(str((await play.outputs_of("plan"))["path"]))
    plan.write_text("replicas: 500\n")
    await play.say("approve", "yes")

    state = await play.rest()
    assert state.status is RunStatus.FAILED
    assert "not the one that was approved" in state.first_failure
    assert (plan.parent / "live.txt").read_text() == "image: shop:1.4\nreplicas: 3\n"


async def test_silence_is_a_no(ground: Stage) -> None:
    """The deadline passes, and nothing is applied."""
    text = (SAMPLES / "plan-apply.yaml").read_text()
    file = ground.folder / "short.yaml"
    file.write_text(text.replace("timeout: 2h", "timeout: 300ms"))
    play = await ground.play_file(file)

    await play.asked()
    state = await play.rest()
    while state.finished is None:
        await ground.world.executor.resume(play.run_id, by="ana")
        state = await play.rest()
    assert state.status is RunStatus.REJECTED
    assert (await play.blocks())["apply"] == "skipped"
    assert temporary(ground) == []


# -- drain-nodes -------------------------------------------------------------------------------


async def test_nodes_are_drained_one_by_one_in_the_order_that_was_typed(ground: Stage) -> None:
    """The list is typed by a person, and shown before anything happens (W21)."""
    play = await ground.sample("drain-nodes")
    with pytest.raises(InvalidAnswer, match="JSON"):
        await play.say("which", "n1, n2")
    await play.say("which", '["n2", "n1"]')
    gate = (await play.asked())["approve"].prompt
    await play.say("approve", "yes")

    assert gate.text == "Drain 2 nodes?"
    assert json.loads(gate.show[0].text) == ["n2", "n1"]
    outputs = await play.outputs()
    assert str(outputs["log"]).splitlines() == ["cordon n2", "drain n2", "cordon n1", "drain n1"]
    assert (await play.outputs_of("uncordon"))["succeeded"] == 2


async def test_a_node_that_fails_stops_the_rest_and_resume_goes_on_with_it(ground: Stage) -> None:
    """Those before it stay done, those after it wait, and no node stays closed (W28)."""
    play = await ground.sample("drain-nodes", broken="n2")
    await play.says(which='["n1", "n2", "n3"]', approve="yes")
    before = await play.rest()
    first = await play.outputs_of("drain")
    opened = await play.outputs_of("uncordon")
    folder = Path(str((await play.outputs_of("folder"))["stdout"]))
    (folder / "repaired").touch()
    await ground.world.executor.resume(play.run_id, by="ana")

    assert before.status is RunStatus.FAILED
    assert (first["succeeded"], first["failed"], first["skipped"]) == (1, 1, 1)
    assert opened["succeeded"] == 3
    assert await play.status() is RunStatus.SUCCEEDED
    log = str((await play.outputs())["log"]).splitlines()
    assert log == ["cordon n1", "drain n1", *["cordon n2"] * 3, "drain n2", "cordon n3", "drain n3"]
    assert (await play.rest()).block(BlockId("drain[n1]")).attempt == 1
    assert temporary(ground) == []


async def test_a_no_drains_nothing_and_a_cancel_at_the_first_question_leaves_nothing(ground: Stage) -> None:
    """The clean-up runs in both, whether there is something to clean up or not."""
    refused = await ground.sample("drain-nodes")
    await refused.says(which="", approve="no")
    cancelled = await ground.sample("drain-nodes")
    await cancelled.asked()
    await ground.world.executor.cancel(cancelled.run_id, by="ana")

    assert await refused.status() is RunStatus.REJECTED
    assert [await play.status() for play in (refused, cancelled)] == [RunStatus.REJECTED, RunStatus.CANCELLED]
    assert (await refused.outputs_of("uncordon"))["count"] == 3
    assert (await cancelled.outputs_of("uncordon"))["count"] == 0
    assert [(await play.blocks())["drain"] for play in (refused, cancelled)] == ["skipped", "cancelled"]
    assert temporary(ground) == []


# -- wave-rollout ------------------------------------------------------------------------------


async def test_waves_follow_each_other_and_each_question_names_its_app(ground: Stage) -> None:
    """Several approvals are open at once, two workflows deep, and each answer goes to its own app (W20)."""
    play = await ground.sample("wave-rollout")
    asked = await play.asked()
    texts = {place: pause.prompt.text for place, pause in asked.items()}
    assert texts == {
        "wave[shops]/app[shop-eu]/approve": "Sync shop-eu in wave shops?",
        "wave[shops]/app[shop-us]/approve": "Sync shop-us in wave shops?",
    }

    await play.say("wave[shops]/app[shop-us]/approve", "no")
    left = await play.asked()
    await play.say("wave[shops]/app[shop-eu]/approve", "yes")

    assert set(left) == {"wave[shops]/app[shop-eu]/approve"}
    assert await play.status() is RunStatus.REJECTED
    assert temporary(ground) == []


async def test_all_apps_are_polled_until_they_are_healthy(ground: Stage) -> None:
    """The answers of both go in, and the summary counts the waves."""
    play = await ground.sample("wave-rollout")
    for app in ("shop-us", "shop-eu"):
        await play.say(f"wave[shops]/app[{app}]/approve", "yes")

    assert await play.outputs() == {"summary": "succeeded: 2 of 2 waves; failures: []"}
    results = await play.results_of("wave")
    assert [(r["key"], r["outputs"]["healthy"]) for r in results] == [("canary", 1), ("shops", 2)]


async def test_a_wave_that_is_refused_lets_no_further_wave_begin(ground: Stage) -> None:
    """Stop on the first wave that is not well."""
    waves = [{"name": name, "apps": [{"name": name, "ask": True}]} for name in ("one", "two", "three")]
    play = await ground.sample("wave-rollout", waves=waves)  # type: ignore[arg-type]
    await play.say("wave[one]/app[one]/approve", "yes")
    await play.say("wave[two]/app[two]/approve", "no")

    results = await play.results_of("wave")
    assert [r["status"] for r in results] == ["succeeded", "rejected", "skipped"]


# -- retry-and-notify --------------------------------------------------------------------------


async def test_a_flaky_step_is_tried_again_and_a_tolerated_failure_is_no_failure(ground: Stage) -> None:
    """Three attempts, one key; the mail says succeeded, and still names what was tolerated (W16, W17)."""
    play = await ground.sample("retry-and-notify")

    assert await play.status() is RunStatus.SUCCEEDED
    outputs = await play.outputs()
    assert outputs["published"] == "published; the freshness check failed"
    assert str(outputs["mail"]).splitlines()[0] == "mail to ops: succeeded"
    assert (await play.outputs_of("fetch"))["stdout"] == "fetched at attempt 3"


async def test_when_the_attempts_are_used_up_the_mail_says_what_failed(ground: Stage) -> None:
    """The failures are a list; pasted into nothing, they arrive as JSON."""
    play = await ground.sample("retry-and-notify", failures=9)

    assert await play.status() is RunStatus.FAILED
    head, failures = str((await play.outputs())["mail"]).splitlines()
    assert head == "mail to ops: failed"
    found = {failure["block"]: failure for failure in json.loads(failures.removeprefix("failures: "))}
    assert found["fetch"]["exit_code"] == 75
    assert found["fetch"]["message"].endswith("attempt 5: the server is busy")
    assert (await play.blocks())["publish"] == "skipped"


# -- settings-form -----------------------------------------------------------------------------


async def test_a_form_gives_typed_values_and_takes_defaults(ground: Stage) -> None:
    """The text "3" is 3, what was left out is its default, and an optional text is absent (W10, W25)."""
    play = await ground.sample("settings-form")
    await play.say("ask", '{"size": "small", "replicas": "3"}')

    outputs = await play.outputs()
    expected = {"size": "small", "replicas": 3, "canary": False, "share": 0.5, "note": None}
    assert outputs["settings"] == expected
    assert outputs["note"] is None
    file = Path(str(outputs["file"]))
    assert json.loads(file.read_text()) == expected
    assert file.stat().st_mode & 0o777 == 0o600


async def test_an_empty_note_is_not_the_same_as_no_note(ground: Stage) -> None:
    """Present and empty runs the branch; absent skips it."""
    play = await ground.sample("settings-form")
    await play.say("ask", '{"size": "large", "note": ""}')

    assert (await play.outputs())["note"] == "a note of 0 characters"


async def test_a_form_tells_all_that_is_wrong_and_the_same_answer_twice_is_one(ground: Stage) -> None:
    """Each field with its rule; nothing is kept of a refused form; a different answer is a conflict."""
    play = await ground.sample("settings-form")
    with pytest.raises(InvalidAnswer) as told:
        await play.say("ask", '{"size": "medium", "replicas": 0, "share": 2, "nte": "x"}')
    pause = (await play.asked())["ask"]
    await play.say("ask", '{"size": "small"}')
    again = await play.world.executor.answer(pause.pause_id, _reply('{"size": "1", "replicas": 2}'))

    assert all(name in str(told.value) for name in ("'size'", "'replicas'", "'share'", "did you mean 'note'"))
    assert again.repeated
    with pytest.raises(AnswerError, match="already answered"):
        await play.world.executor.answer(pause.pause_id, _reply('{"size": "large"}'))


# -- review-rounds -----------------------------------------------------------------------------


async def test_a_draft_is_revised_until_it_is_published(ground: Stage) -> None:
    """Each round asks again, shows its own draft, and gets the wish of the round before (W07, W12)."""
    play = await ground.sample("review-rounds")
    shown = []
    for number, wish in ((1, "shorter"), (2, "with $(touch owned) numbers")):
        shown.append((await play.asked())[f"rounds#{number}/review"].prompt.show[0].text)
        await play.say(f"rounds#{number}/review", "revise")
        await play.say(f"rounds#{number}/wish_next", wish)
    shown.append((await play.asked())["rounds#3/review"].prompt.show[0].text)
    await play.say("rounds#3/review", "publish")

    assert shown == [
        "draft 1, made for: a first draft",
        "draft 2, made for: shorter",
        "draft 3, made for: with $(touch owned) numbers",
    ]
    assert await play.outputs() == {"published": f"published after 3 rounds: {shown[-1]}"}


async def test_rounds_end_when_the_reviewer_drops_it_and_when_there_were_enough(ground: Stage) -> None:
    """Drop publishes nothing and is no failure; five times revise is one."""
    dropped = await ground.sample("review-rounds")
    await dropped.say("rounds#1/review", "drop")
    endless = await ground.sample("review-rounds")
    for number in range(1, 6):
        await endless.say(f"rounds#{number}/review", "revise")
        await endless.say(f"rounds#{number}/wish_next", "again")

    assert await dropped.status() is RunStatus.SUCCEEDED
    assert await dropped.blocks() == {"rounds": "succeeded", "publish": "skipped"}
    state = await endless.rest()
    assert state.status is RunStatus.FAILED
    assert "not done after 5 iterations" in state.first_failure
