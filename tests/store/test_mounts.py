"""Stores on network file systems: noticed before anything is written there, and kept without a log if somebody insists."""

import errno
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.builders import RUN, adding, new_run, wave
from tidegate.clock import SystemClock
from tidegate.errors import StoreUnavailable
from tidegate.history.verify import verify
from tidegate.store.sqlite.mounts import MOUNTS, Mount, mount_of
from tidegate.store.sqlite.store import open_file

MOUNTINFO = r"""
22 27 0:21 / /proc rw,nosuid - proc proc rw
27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 27 0:44 / /home rw,relatime shared:16 - nfs4 server:/export/home rw,vers=4.2,hard
31 30 8:2 / /home/ana/local\040disk rw - xfs /dev/sdb1 rw
32 27 0:45 / /mnt/c rw - 9p drvfs rw,trans=fd
33 27 0:46 / /media/ssh rw - fuse.sshfs ana@host: rw
34 27 0:47 / /media/crypt rw - fuse.gocryptfs /x rw
35 27 0:48 / /srv rw - ext4 /dev/sdc1 rw
36 27 0:49 / /srv rw - cifs //server/share rw
broken line
""".lstrip()


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    """A list of mounts of many kinds."""
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTINFO, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("place", "kind", "is_network"),
    [
        ("/var/lib/tidegate.db", "ext4", False),
        ("/home/ana/tidegate.db", "nfs4", True),
        ("/home/ana/local disk/x/tidegate.db", "xfs", False),
        ("/homestead/tidegate.db", "ext4", False),
        ("/mnt/c/tidegate.db", "9p", True),
        ("/media/ssh/deep/tidegate.db", "fuse.sshfs", True),
        ("/media/crypt/tidegate.db", "fuse.gocryptfs", False),
        ("/srv/tidegate.db", "cifs", True),
    ],
)
def test_a_place_is_on_the_mount_that_hangs_in_deepest(
    mounts: Path, place: str, kind: str, is_network: bool
) -> None:
    """Of two at one place the later one hides the other; a name that only begins like one is not below it."""
    mount = mount_of(Path(place), mounts)

    assert mount is not None
    assert (mount.kind, mount.is_network) == (kind, is_network)


def test_what_the_whole_system_runs_from_is_its_own() -> None:
    """A sandbox may be brought up from 9p; there is nobody else in it."""
    assert not Mount(Path("/"), "9p").is_network


def test_where_there_is_no_list_every_place_is_local(tmp_path: Path) -> None:
    """Other systems than Linux have none. Here there is one, and this machine's own disk is none of a network."""
    assert mount_of(tmp_path, tmp_path / "nothing") is None
    assert MOUNTS.exists() is False or mount_of(Path("/"), MOUNTS) is not None


def network_at(tmp_path: Path) -> tuple[Path, Path]:
    """Return a place for a store, and a list of mounts that has it on a network."""
    place = tmp_path / "shared"
    place.mkdir()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:9 / {place} rw - nfs4 server:/x rw\n", encoding="utf-8"
    )
    return place / "tidegate.db", mounts


async def test_a_store_on_a_network_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """Neither a new one nor one that is there; the text names the mount, and both ways out."""
    path, mounts = network_at(tmp_path)

    with pytest.raises(
        StoreUnavailable, match=rf"network file system \(nfs4, {path.parent}\).*local disk.*rollback"
    ):
        await open_file(path, SystemClock(), mounts=mounts)
    assert list(path.parent.iterdir()) == []

    await (await open_file(path, SystemClock())).close()
    found = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="network file system"):
        await open_file(path, SystemClock(), mounts=mounts)
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (found, [path.name])


@pytest.mark.parametrize("was_there", [False, True])
async def test_who_insists_gets_a_store_without_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, was_there: bool
) -> None:
    """And is warned each time. Back on a local disk it keeps a log again, and has lost nothing."""
    path, mounts = network_at(tmp_path)
    monkeypatch.setenv("TIDEGATE_NETWORK_STORE", "rollback")
    if was_there:
        await (await open_file(path, SystemClock())).close()

    with caplog.at_level(logging.WARNING, "tidegate"):
        one, two = [await open_file(path, SystemClock(), mounts=mounts) for _ in range(2)]
    await one.create_run(new_run())
    await two.append(adding(wave()))
    beside = sorted(entry.name for entry in path.parent.iterdir())
    for store in (one, two):
        assert (await store.run(RUN)).head == 2
        await store.close()

    assert beside == ["tidegate.db"]
    said = "as TIDEGATE_NETWORK_STORE says. It is kept with a rollback journal"
    assert caplog.text.count(said) == 2
    assert journal_of(path) == "delete"
    again = await open_file(path, SystemClock())
    assert journal_of(path) == "wal"
    assert [verdict.good async for verdict in verify(again)] == [2]
    await again.close()


def journal_of(path: Path) -> str:
    """Return how a store is kept."""
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


async def test_a_file_system_without_hard_links_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stick's, or a share's: there the store is put in its place by its new name alone."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)

    store = await open_file(tmp_path / "tidegate.db", SystemClock())
    await store.create_run(new_run())
    await store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["tidegate.db"]
