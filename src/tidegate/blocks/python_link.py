"""The engine's end of the connection to a callable's process; the other one is `child/python_child.py`.

A callable may write to the descriptor, close it, or die in the middle of a sentence: whatever comes
is checked, and what cannot be understood ends the connection.
"""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from tidegate.blocks.base import BlockContext
from tidegate.model.base import Json, JsonObject, Noun

__all__ = ["Garbled", "Link", "Refused", "Returned"]

_CHUNK = 256 * 1024
_LENGTH = 4
_LARGEST = 64 * 1024 * 1024
"""Bytes of one frame; the child sends no result of more than 16 MiB, and no state either."""


class Ready(Noun, tag="ready"):
    """The process has understood what it is to do."""


class StepDone(Noun, tag="step"):
    """A step is to be recorded; the child waits until it is."""

    key: str
    value: Json


class Progress(Noun, tag="progress"):
    """How far the work has come."""

    fraction: float
    message: str


class MarkAsked(Noun):
    """A checkpoint that the callable asks for."""

    label: str
    metadata: JsonObject


class Returned(Noun, tag="returned"):
    """The callable returned."""

    result: Json
    marks: tuple[MarkAsked, ...] = ()
    state: JsonObject | None = None
    """None: it has not seen the state."""


class Refused(Noun, tag="refused"):
    """The callable raised, returned what is no JSON, or could not be called."""

    failure: str
    message: str


class Garbled(Exception):
    """What came is nothing that the child says."""


_Message: TypeAlias = Ready | StepDone | Progress | Returned | Refused
_DECODER: "msgspec.json.Decoder[_Message]" = msgspec.json.Decoder(_Message)
_RECORDED = b"{}"


class Link:
    """One conversation with one process."""

    def __init__(self, request: JsonObject, context: BlockContext) -> None:
        """Prepare to send *request* and to serve what the callable asks of *context*."""
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._request = request
        self._context = context
        self._buffer = bytearray()
        self.is_ready = False
        """Whether the process ran as far as to take the request."""
        self.ending: Returned | Refused | None = None
        """What it said at last."""

    @property
    def number(self) -> int:
        """The descriptor that the process inherits."""
        return self._theirs.fileno()

    def release(self) -> None:
        """Let go of the process's end: once it has started, or could not be."""
        self._theirs.close()

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()

    async def serve(self) -> None:
        """Talk until the process closes its end.

        Raises:
            Garbled: what it says cannot be understood.
        """
        loop = asyncio.get_running_loop()
        await self._send(msgspec.json.encode(self._request))
        with contextlib.suppress(ConnectionError):
            while data := await loop.sock_recv(self._ours, _CHUNK):
                self._buffer += data
                for message in self._messages():
                    await self._serve(message)

    def finish(self) -> None:
        """Take what it said last; to be called once the process is dead.

        Raises:
            Garbled: what it said cannot be understood.
        """
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while data := self._ours.recv(_CHUNK):
                self._buffer += data
        for message in self._messages():
            self._note(message)

    async def _serve(self, message: _Message) -> None:
        match message:
            case StepDone():
                await self._context.record_step(message.key, message.value)
                await self._send(_RECORDED)
            case Progress():
                await self._context.note_progress(message.fraction, message.message)
            case _:
                self._note(message)

    def _note(self, message: _Message) -> None:
        match message:
            case Ready():
                self.is_ready = True
            case Returned() | Refused():
                self.ending = message
            case _:
                # A step that nobody waits for any more, or progress of what has ended.
                pass

    async def _send(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(
                self._ours, len(data).to_bytes(_LENGTH, "big") + data
            )

    def _messages(self) -> Iterator[_Message]:
        """Take every whole message out of the buffer."""
        while len(self._buffer) >= _LENGTH:
            size = int.from_bytes(self._buffer[:_LENGTH], "big")
            if size > _LARGEST:
                raise Garbled
            if len(self._buffer) < _LENGTH + size:
                return
            data = bytes(self._buffer[_LENGTH : _LENGTH + size])
            del self._buffer[: _LENGTH + size]
            yield _decoded(data)


def _decoded(data: bytes) -> _Message:
    try:
        return _DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Garbled from error
