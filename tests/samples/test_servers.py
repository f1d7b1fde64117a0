"""Workflow files that talk to a server."""

import json

import pytest

from blocks.web import Asked, Reply, Web, json_reply, serve
from samples.playing import Stage
from tidegate.errors import InvalidAnswer
from tidegate.model.events import RunStatus


def tickets(web: Web) -> None:
    """Let a server be busy once, then open a ticket, then be done with it at the third look."""
    looks: list[Asked] = []

    def opened(_: Asked) -> Reply:
        first = sum(asked.method == "POST" for asked in web.asked) == 1
        return Reply(503, b"busy") if first else json_reply({"id": "T-1"}, 201)

    def looked(asked: Asked) -> Reply:
        looks.append(asked)
        return json_reply({"state": "done" if len(looks) == 3 else f"working {len(looks)}"})

    web.replies |= {"/tickets": opened, "/tickets/T-1": looked}


async def test_a_ticket_is_opened_once_with_what_a_person_supplied(ground: Stage) -> None:
    """A busy server is asked again under the same key; the look-ups stop when it is done (W14, W17)."""
    with serve() as web:
        tickets(web)
        play = await ground.play("ticket", server=web.url)
        with pytest.raises(InvalidAnswer):
            await play.say("number", "")
        await play.say("number", "42")

        assert await play.status() is RunStatus.SUCCEEDED
        assert await play.outputs() == {"id": "T-1", "looks": 3}
        posts = [asked for asked in web.asked if asked.method == "POST"]
        assert [json.loads(post.body) for post in posts] == [{"change": 42, "by": "ticket"}] * 2
        assert len({post.headers["idempotency-key"] for post in posts}) == 1
        assert [asked.path for asked in web.asked if "T-1" in asked.path] == [
            "/tickets/T-1?seen=nothing",
            "/tickets/T-1?seen=working+1",
            "/tickets/T-1?seen=working+2",
        ]


async def test_a_server_that_refuses_for_good_is_not_asked_again(ground: Stage) -> None:
    """The attempts that were allowed, and not one more; nothing after it runs."""
    with serve() as web:
        web.replies["/tickets"] = Reply(500, b"broken")
        play = await ground.play("ticket", server=web.url)
        await play.say("number", "7")

        assert await play.status() is RunStatus.FAILED
        assert len(web.asked) == 3
        assert await play.blocks() == {
            "number": "succeeded",
            "open": "failed",
            "look": "skipped",
            "absent": "skipped",
        }
