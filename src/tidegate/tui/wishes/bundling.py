"""From the wish to have a run as one portable file to where that file is."""

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tidegate.errors import TidegateError
from tidegate.model.ids import RunId
from tidegate.tui.host.row_files import export_problem
from tidegate.tui.lines import Tone
from tidegate.tui.present.shared import short_id

if TYPE_CHECKING:
    from tidegate.tui.operated import OperatedApp

__all__ = ["bundle"]

_ENDINGS = (".json", ".gz", ".zst")


async def bundle(app: "OperatedApp", run_id: RunId) -> None:
    """Ask for the name of a file, and write the run to it with everything below it; runs in a worker of the app."""
    from tidegate.tui.dialogs.picks import NameDialog

    title = f"Export run {short_id(run_id)} with all below it: .json, .json.gz or .json.zst"
    dialog = NameDialog(title, f"{run_id}.json", lambda name: export_problem(name, _ENDINGS))
    name = await app.push_screen_wait(dialog)
    if name is None:
        return
    place = await asyncio.to_thread(lambda: Path(name).expanduser().absolute())
    try:
        await app.engine.call(
            lambda session: session.history.write_export(run_id, place, program=version("tidegate"))
        )
    except TidegateError as error:
        app.tell(str(error), Tone.FAILED)
    except OSError as error:
        app.tell(f"{name} is not written: {error.strerror or error}", Tone.FAILED)
    else:
        app.tell(f"run {short_id(run_id)} written to {place}", Tone.DONE)
