"""Mode 4: the workflow files that a run can be started from, and what is wrong with the others."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from tidegate.model.base import JsonObject
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.desk import Desk
from tidegate.tui.lines import Column, Line, Piece, Tone
from tidegate.tui.messages import EditWanted, LaunchWanted, RunWanted
from tidegate.tui.nouns.launch import LaunchWish
from tidegate.tui.nouns.past_runs import PastRuns
from tidegate.tui.present.shared import counted
from tidegate.tui.present.workflows import WORKFLOW_COLUMNS, workflow_line, workflow_preview
from tidegate.tui.query.of_workflows import WORKFLOWS, Filed
from tidegate.tui.reads.catalogue import read_workflows
from tidegate.tui.screens.lists.table_screen import TableScreen
from tidegate.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from tidegate.history.shelf import WorkflowFile

__all__ = ["WorkflowsScreen"]

_NEVER = PastRuns()


class WorkflowsScreen(TableScreen[Filed]):
    """Every workflow file, as it is now."""

    SCOPES: ClassVar[tuple[Scope, ...]] = (
        Scope.WORKFLOWS,
        Scope.FILTER,
        Scope.ROWS,
        Scope.LIST,
        Scope.PREVIEW,
    )
    READS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(Scope.WORKFLOWS)
    TITLE_OF_LIST = "Workflows"
    COLUMNS: ClassVar[tuple[Column, ...]] = WORKFLOW_COLUMNS
    LISTING = WORKFLOWS
    EMPTY = "No workflow file here. Put one into the working directory, or name its folder in TIDEGATE_WORKFLOWS; 1 leads back to the inbox."

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._files: dict[str, WorkflowFile] = {}
        self._runs: Mapping[str, PastRuns] = {}

    async def fetch(self) -> None:
        """Read the files, and how their runs went."""
        files, self._runs = await self._desk.engine.call(read_workflows)
        self._files = {str(file.path): file for file in files}

    def listed(self) -> Sequence[Filed]:
        """Return every file."""
        return [Filed(file, self._past(file)) for file in self._files.values()]

    def key_of(self, row: Filed) -> str:
        """Return where a file is."""
        return str(row.file.path)

    def line_of(self, row: Filed, now: float) -> Line:
        """Return a file as a row."""
        return workflow_line(row.file, row.past, now)

    def find(self, key: str) -> Filed | None:
        """Return a file."""
        file = self._files.get(key)
        return Filed(file, self._past(file)) if file is not None else None

    def json_of(self, key: str) -> JsonObject:
        """Return what is known of a file."""
        filed = self.find(key)
        if filed is None:
            return {}
        last = filed.past.last
        return {
            "file": key,
            "workflow": filed.file.name,
            "sound": filed.file.is_sound,
            "faults": [str(fault) for fault in filed.file.faults],
            "description": filed.about,
            "runs": filed.past.count,
            "last_run": last.as_json() if last is not None else None,
        }

    def _past(self, file: "WorkflowFile") -> PastRuns:
        return self._runs.get(file.name, _NEVER)

    def preview_of(self, key: str, now: float) -> Sequence[Line]:
        """Return what is wrong with the file, or what the workflow does."""
        file = self._files.get(key)
        return list(workflow_preview(file, self._past(file), now)) if file else ()

    def title_of(self, key: str) -> str:
        """Return its name."""
        file = self._files.get(key)
        return file.name if file else ""

    def summary(self, now: float) -> Sequence[Piece]:
        """Return how many files there are, and how many have faults."""
        del now
        faulty = sum(not file.is_sound for file in self._files.values())
        pieces = [Piece(counted(len(self._files), "workflow"), Tone.DIM)]
        return [*pieces, Piece(f" · {faulty} with faults", Tone.FAILED)] if faulty else pieces

    # -- keys ---------------------------------------------------------------------------------

    @property
    def _file(self) -> "WorkflowFile | None":
        """The file the cursor is on."""
        return self._files.get(self.rows_view.cursor_key)

    def applies(self, action: str) -> bool:
        """Whether a key would do something to the file the cursor is on."""
        file = self._file
        if action == "launch":
            return file is not None and file.is_sound
        if action == "open_row":
            return file is not None and self._past(file).last is not None
        return file is not None if action in ("edit", "mark") else super().applies(action)

    @on(LineList.Selected, "#list")
    def action_launch(self) -> None:
        """Ask with what a run is to be started."""
        if (file := self._file) is not None:
            self.post_message(LaunchWanted(LaunchWish(path=file.path)))

    def action_open_row(self) -> None:
        """Show the run that began last."""
        file = self._file
        if file is not None and (last := self._past(file).last) is not None:
            self.post_message(RunWanted(last.row.run_id))

    def action_edit(self) -> None:
        """Open the file in the editor, at its first fault."""
        if (file := self._file) is not None:
            self.post_message(EditWanted(file.path, file.faults[0].line if file.faults else 1))
