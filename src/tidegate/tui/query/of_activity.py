"""What the activity can be searched and ordered by."""

from tidegate.tui.present.activity import Happening
from tidegate.tui.query.fields import Moment, Person, Since, Words
from tidegate.tui.query.listing import Listing, Sort

__all__ = ["ACTIVITY"]


def _run(happening: Happening) -> str:
    return " ".join(filter(None, (happening.run_id, happening.root, *happening.gone)))


ACTIVITY: Listing[Happening] = Listing(
    "activity",
    (
        Words(("what",), "what happened", lambda happening: happening.sign.word, "answered"),
        Words(("workflow",), "the workflow of its run", lambda happening: happening.workflow),
        Words(("run",), "the id of its run", _run, "4f2a"),
        Words(("block",), "the block that it is about", lambda happening: happening.block or ""),
        Person(("by",), "who did it", lambda happening: (happening.by,)),
        Words(("details", "text"), "what else is told of it", lambda happening: happening.details, "prod"),
        Moment(("age",), "how long ago it was", lambda happening: happening.at),
        Since(("since",), "then or later", lambda happening: happening.at),
        Since(("before",), "before then", lambda happening: happening.at, is_end=True),
    ),
    (
        Sort("time", falls=True),
        Sort("what", lambda happening, _: happening.sign.word),
        Sort("workflow", lambda happening, _: happening.workflow.casefold()),
        Sort("person", lambda happening, _: happening.by.casefold()),
    ),
    {
        "mine": "by:me",
        "answers": "what:answered",
        "failures": "what:failed",
        "removals": "what:removed",
        "said by this monitor": "what=note",
    },
)
"""Newest first."""
