"""Compiled objects on disk: found again by their key, safe between processes, bounded in size.

An entry is one file: a mark, the checksum of the object, the object. It is written beside its place and moved there in
one step, so no reader ever sees half of it; whatever does not match its checksum is thrown away. Objects are code:
they are only read from a folder that no stranger can write to.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

MARK = b"linkwork kernel 1\n"
SUFFIX = ".kernel"
LIMIT = 512 * 2**20
"""Bytes that the folder may hold."""
KEEP = 0.9
"""Share of the limit that is left after a clearing, so that not every entry needs one."""
STALE = 3600.0
"""Seconds after which a half-written file is taken for abandoned."""


@dataclass(frozen=True)
class Cache:
    """Objects by key, in a folder; without a folder nothing is kept."""

    folder: Path | None
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """The object of a key, or None if there is none or it is damaged."""
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            if not _is_private(self.folder):
                return None
            content = path.read_bytes()
        except OSError:
            return None
        data = _opened(content)
        if data is None:
            log.debug("cache entry %s is damaged; it is removed and built again", path)
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the oldest access goes first
        return data

    def put(self, key: str, data: bytes) -> bool:
        """Keep an object. False, and one warning in the life of the process, where that is not possible."""
        if self.folder is None:
            return False
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(self.folder):
                raise PermissionError("others may write to it")
            _write(self._path(key), MARK + hashlib.sha256(data).digest() + data)
        except OSError as error:
            _warn_once(str(self.folder), str(error))
            return False
        self.clear_to_limit()
        return True

    def entries(self) -> dict[Path, int]:
        """The files of all entries and their sizes [bytes], in order of their names."""
        found: dict[Path, int] = {}
        if self.folder is None:
            return found
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    with contextlib.suppress(OSError):  # another process has removed it
                        found[Path(entry.path)] = entry.stat().st_size
        return dict(sorted(found.items()))

    def clear(self) -> int:
        """Remove every entry and tell how many there were. Raises OSError where one cannot be removed."""
        files = self.entries()
        for file in files:
            file.unlink(missing_ok=True)  # another process may have been faster
        return len(files)

    def clear_to_limit(self) -> None:
        """Remove the entries that were not used for longest until the rest fits. Other processes may do so too."""
        if self.folder is None:
            return
        files = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    about = entry.stat()
                    if entry.name.endswith(SUFFIX):
                        files.append((about.st_mtime, about.st_size, entry.path))
                    elif entry.name.startswith(".part-") and time.time() - about.st_mtime > STALE:
                        Path(entry.path).unlink()
        total = sum(size for _, size, _ in files)
        if total <= self.limit:
            return
        for _, size, path in sorted(files):
            with contextlib.suppress(OSError):
                Path(path).unlink()
            total -= size
            if total <= KEEP * self.limit:
                return

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}{SUFFIX}"


def user_cache() -> Cache:
    """The cache that the environment asks for: `LINKWORK_CACHE` names a folder, or is `off`."""
    wanted = os.environ.get("LINKWORK_CACHE", "").strip()
    if wanted.lower() in ("off", "0", "no", "none"):
        return Cache(None)
    try:
        root = Path(wanted).expanduser() if wanted else _platform_folder() / "linkwork"
    except RuntimeError as error:  # no home folder
        _warn_once("the cache folder", str(error))
        return Cache(None)
    return Cache(root / "kernels")


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _opened(content: bytes) -> bytes | None:
    """The object inside the content of a file, if it is whole."""
    start = len(MARK) + 32
    if len(content) < start or not content.startswith(MARK):
        return None
    data = content[start:]
    return data if hashlib.sha256(data).digest() == content[len(MARK) : start] else None


def _write(path: Path, content: bytes) -> None:
    """Write beside the place, then move: readers see the old file, none, or the whole new one."""
    handle, name = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _is_private(folder: Path) -> bool:
    """Whether only this user (or the administrator) can put files into the folder."""
    if sys.platform == "win32":
        return True
    about = folder.stat()
    return about.st_uid in (os.geteuid(), 0) and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


_told: set[str] = set()


def _warn_once(folder: str, reason: str) -> None:
    if not _told:
        _told.add(folder)
        log.warning("compiled kernels are kept in memory only: %s: %s. Set LINKWORK_CACHE to a folder", folder, reason)
