"""What must hold at every step of the soak: of each run, of each effect, and of each thing that was acknowledged."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from journal_invariants import Broken, must
from soak_workflows import EFFECTS
from store_invariants import check_run
from tidegate.errors import RunNotFound, TidegateError
from tidegate.model.events import AttemptStarted, AttemptSucceeded, CancelRequested, PauseAnswered, Record
from tidegate.model.ids import RunId, Seq, block_of
from tidegate.store.protocol import Store

__all__ = ["Laws"]

Effect = tuple[str, int, str]
"""Place, attempt, key."""


class Laws:
    """Checks a store that others write to, beside what they wrote elsewhere."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder, self._store = folder, store
        self._read = {EFFECTS: 0, "acks": 0}
        self.effects: dict[str, list[Effect]] = defaultdict(list)
        """By run."""
        self.acknowledged: dict[str, list[dict[str, Any]]] = defaultdict(list)
        """What must be found in its journal, by run."""
        self.told = Counter[str]()
        """How often each thing was asked for and done, or refused."""
        self.gone = set[str]()
        """Runs that were there, and were removed."""
        self.checks = 0
        self.may_go = set[str]()
        """Runs that somebody was asked to remove."""
        self.cleans = False
        """Whether somebody was asked to remove what is old."""

    def has_effect(self, run_id: str, place: str, attempt: int) -> bool:
        """Whether an attempt has had its effect, as a person sees who looks."""
        self.look()
        return any(effect[:2] == (place, attempt) for effect in self.effects[run_id])

    def look(self) -> None:
        """Read what was written since the last look.

        Raises:
            Broken: an attempt had its effect twice, or an executor raised what no executor should.
        """
        for line in self._new_lines(EFFECTS):
            run_id, place, attempt, key = line.split()
            effect = (place, int(attempt), key)
            must(effect not in self.effects[run_id], "an attempt has its effect once", run_id, *effect)
            self.effects[run_id].append(effect)
        for line in self._new_lines("acks"):
            told = json.loads(line)
            self.told[f"{told['do']} {told['result']}"] += 1
            must(told["result"] != "broken", "an executor raises errors of ours only", line)
            # Several that stand still one after the other may hold the file for longer than a writer waits.
            starts = told["result"] == "done" or told["what"] == "StoreUnavailable"
            must(told["do"] != "start" or starts, "a sound workflow starts, or the store is held", line)
            if told["result"] == "done":
                self._expect(told)

    def _new_lines(self, name: str) -> list[str]:
        file = self._folder / name
        if not file.exists():
            return []
        with file.open("rb") as lines:
            lines.seek(self._read[name])
            whole, _, _ = lines.read().rpartition(b"\n")
        self._read[name] += len(whole) + bool(whole)
        return whole.decode().splitlines()

    def _expect(self, told: dict[str, Any]) -> None:
        begins = told["do"] in ("start", "fork")
        run_id = str(told["what"] if begins else told.get("run"))
        if begins or told["do"] in ("answer", "cancel"):
            self.acknowledged[run_id].append(told)
        if told["do"] == "remove":
            self.gone |= set(told["what"])

    async def check(self, run_id: RunId) -> None:
        """Check a run; one that is gone meanwhile is all right.

        Raises:
            Broken: a law does not hold.
        """
        self.checks += 1
        try:
            await self._check(run_id)
        except (Broken, TidegateError):
            if await self._is_there(run_id):
                raise
            self.forget(run_id)

    async def _is_there(self, run_id: RunId) -> bool:
        try:
            await self._store.run(run_id)
        except RunNotFound:
            return False
        return True

    def forget(self, run_id: RunId) -> None:
        """Let go of what is known of a run that was removed.

        Raises:
            Broken: nobody has asked for that.
        """
        must(self.cleans or run_id in self.may_go or run_id in self.gone, "no run is lost", run_id)
        self.gone.add(run_id)
        self.effects.pop(run_id, None)
        self.acknowledged.pop(run_id, None)

    async def _check(self, run_id: RunId) -> None:
        # What is outside first: the journal that is read afterwards must know of it.
        self.look()
        acknowledged = list(self.acknowledged[run_id])
        await check_run(self._store, run_id)
        records = await self._store.read(run_id, after=Seq(0))
        self._check_effects(run_id, records, await self._commands_of(run_id))
        for told in acknowledged:
            self._check_acknowledged(told, records)

    async def _commands_of(self, run_id: RunId) -> set[str]:
        row = await self._store.run(run_id)
        definition = await self._store.definition(row.definition)
        return {block.id for block in definition.blocks if block.type == "Shell"}

    def _check_effects(self, run_id: RunId, records: tuple[Record, ...], commands: set[str]) -> None:
        intents = {
            (event.block, event.attempt, event.key)
            for event in (record.event for record in records)
            if isinstance(event, AttemptStarted)
        }
        for effect in self.effects[run_id]:
            must(effect in intents, "an effect has its intent", run_id, *effect)
        self.look()  # A command writes before it ends: the lines of those that have ended are there by now.
        done = {effect[:2] for effect in self.effects[run_id]}
        # What a fork goes on from has had its effects under the other run's name, also where a person's word
        # lets it end in this one.
        own = [record.event for record in records if record.run_id == run_id]
        begun = {(event.block, event.attempt) for event in own if isinstance(event, AttemptStarted)}
        for event in own:
            if isinstance(event, AttemptSucceeded) and block_of(event.block) in commands:
                place = (event.block, event.attempt)
                must(place not in begun or place in done, "what has succeeded had its effect", run_id, *place)

    @staticmethod
    def _check_acknowledged(told: dict[str, Any], records: tuple[Record, ...]) -> None:
        events = [record.event for record in records]
        if told["do"] == "cancel":
            must(any(isinstance(event, CancelRequested) for event in events), "a cancel is kept", told)
        if told["do"] == "answer":
            answers = [
                event.answer
                for event in events
                if isinstance(event, PauseAnswered) and event.pause_id == told["pause"]
            ]
            must(len(answers) == 1, "an acknowledged answer is kept, once", told, answers)
            # Who said the same as somebody before was told so.
            must(told["what"] or answers[0].by == told["by"], "who won is written down", told, answers)

    async def check_started(self) -> None:
        """Fail unless every run that was acknowledged is there, or was removed."""
        for run_id in list(self.acknowledged):
            if not await self._is_there(RunId(run_id)):
                self.forget(RunId(run_id))
