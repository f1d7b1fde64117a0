"""Which file system a place is on, and whether that is one on which SQLite's log cannot work.

The log needs memory that all processes share. Over a network there is none: two hosts would each see an
index of their own, and overwrite each other's pages.
"""

import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from tidegate.errors import StoreUnavailable

__all__ = ["MOUNTS", "NETWORK_VARIABLE", "Mount", "mount_of", "network_use"]

NETWORK_VARIABLE: Final = "TIDEGATE_NETWORK_STORE"
"""Set to ``rollback``, it says that a store on a network file system is used by one host only."""

MOUNTS: Final = Path("/proc/self/mountinfo")
"""See proc(5). Elsewhere than on Linux it is not there, and every place is taken for local."""

_NETWORK: Final = frozenset(
    {
        *(
            "9p",
            "afs",
            "beegfs",
            "ceph",
            "cifs",
            "coda",
            "davfs",
            "drvfs",
            "gfs",
            "gfs2",
            "glusterfs",
            "gpfs",
        ),
        *(
            "grpcfuse",
            "lustre",
            "ncpfs",
            "nfs",
            "nfs4",
            "ocfs2",
            "orangefs",
            "osxfs",
            "prl_fs",
            "smb3",
            "smbfs",
        ),
        *("vboxsf", "virtiofs", "vmhgfs"),
    }
)
_NETWORK_FUSE: Final = re.compile(
    r"fuse\.(sshfs|glusterfs|ceph(-fuse)?|s3fs|rclone|gcsfuse|goofys|mountpoint-s3|juicefs|davfs2?|curlftpfs|smbnetfs"
    r"|vmhgfs(-fuse)?|grpcfuse|seaweedfs|moosefs|mfs|lizardfs|quobyte|beegfs|portal|gvfsd-fuse)"
)
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """Where a file system hangs in."""

    point: Path
    kind: str
    """As the kernel calls it: ``ext4``, ``nfs4``, ``fuse.sshfs``."""

    @property
    def is_network(self) -> bool:
        """Whether what is on it may be written by another machine."""
        # What the whole system runs from is its own, whatever brings it there: a sandbox's 9p, a small VM's virtiofs.
        is_shared = self.point != Path("/")
        return is_shared and (self.kind in _NETWORK or _NETWORK_FUSE.fullmatch(self.kind) is not None)


def mount_of(path: Path, mounts: Path = MOUNTS) -> Mount | None:
    """Return the mount that *path* is on, or will be; None if that cannot be told.

    Args:
        path: Absolute, without links.
        mounts: The list of mounts.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    found = [mount for mount in map(_mount, lines) if mount is not None and path.is_relative_to(mount.point)]
    # The one that hangs in deepest; of several at one place the last, which hides the others.
    return max(reversed(found), key=lambda mount: len(mount.point.parts), default=None)


def network_use(url: str, mount: Mount | None, harm: str) -> str:
    """Return how a store is used on a network file system all the same, for people; empty: it is on none.

    Args:
        url: Of the store.
        mount: What it is on.
        harm: What goes wrong there, as the end of a sentence: `where ...`.

    Raises:
        StoreUnavailable: it is on one, and nobody has said that only one host uses it.
    """
    if mount is None or not mount.is_network:
        return ""
    where = f"it is on a network file system ({mount.kind}, {mount.point})"
    if os.environ.get(NETWORK_VARIABLE) == "rollback":
        return f"{where}, and used all the same, as {NETWORK_VARIABLE} says"
    advice = f"Keep it on a local disk, or set {NETWORK_VARIABLE}=rollback if only one host uses it there"
    raise StoreUnavailable(url, f"{where}, {harm}", advice)


def _mount(line: str) -> Mount | None:
    before, separator, after = line.partition(" - ")
    fields = before.split(" ")
    if not separator or len(fields) < 5:  # noqa: PLR2004  # the fifth is where it hangs in
        return None
    return Mount(Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])), after.partition(" ")[0])
