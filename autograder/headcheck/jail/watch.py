"""Watches what a child keeps in its folder on the host, where no file system of a fixed size bounds it."""

import contextlib
import itertools
import os
import stat

MAX_FILES = 4096  # as many as a private root takes
_MAX_UNSURE = 20  # times on end that things moved while we looked; for one who only tidies up it is chance
_DELETED = " (deleted)"
_GONE = (FileNotFoundError, NotADirectoryError, ProcessLookupError)


class Watch:
    """Adds up the files of one child: those in its folder and those that it deleted but still holds.

    Make one before the child can touch the folder.

    Args:
        folder: its folder.
        most_mb: how much it may keep, MB.
        file_mb: the largest file it can make, MB.
    """

    def __init__(self, folder: str, most_mb: int, file_mb: int) -> None:
        self._folder = folder
        self._most, self._largest = most_mb << 20, file_mb << 20
        self._untouched = os.stat(folder).st_mtime_ns
        self._unsure = 0

    def exceeded(self, pid: int) -> bool:
        """Whether the child with this number has to be ended: it keeps too much, or keeps it where we cannot look."""
        try:
            if os.stat(self._folder).st_mtime_ns == self._untouched:
                return False  # the usual case, at the price of one call
            visible, hidden = self._visible(), self._hidden(pid)
        except OSError:  # a folder without permissions, or nested too deeply
            return True
        self._unsure = self._unsure + 1 if visible is None or hidden is None else 0
        sizes = [*(visible or ()), *(hidden or ())]
        return len(sizes) > MAX_FILES or sum(sizes) > self._most or self._unsure > _MAX_UNSURE

    def _visible(self) -> list[int] | None:
        """Return the sizes of files and folders, of far too many only the first; None when a folder got away."""
        sizes: list[int] = []
        waiting = [self._folder]
        while waiting and len(sizes) <= MAX_FILES:
            try:
                entries = os.scandir(waiting.pop())
            except _GONE:
                return None
            with entries:
                for entry in itertools.islice(entries, MAX_FILES + 1 - len(sizes)):
                    with contextlib.suppress(*_GONE):  # a file that was deleted just now
                        facts = entry.stat(follow_symlinks=False)
                        sizes.append(_size(facts))
                        if stat.S_ISDIR(facts.st_mode):
                            waiting.append(entry.path)
        return sizes

    def _hidden(self, pid: int) -> list[int] | None:
        """Return the sizes of deleted files that are open or mapped (as large as any, then); None when it ends."""
        for name in os.listdir(f"/proc/{pid}/task"):
            thread = f"/proc/{pid}/task/{name}"
            with contextlib.suppress(*_GONE):
                if os.listdir(f"{thread}/fd"):  # all threads share their files, but the first may have ended
                    return list((self._mapped(thread) | self._opened(thread)).values())
        return None

    def _opened(self, thread: str) -> dict[int, int]:
        found = {}
        for name in os.listdir(f"{thread}/fd"):
            link = f"{thread}/fd/{name}"
            with contextlib.suppress(*_GONE):  # closed just now
                if self._is_deleted(os.readlink(link)):
                    facts = os.stat(link)
                    found[facts.st_ino] = _size(facts)
        return found

    def _mapped(self, thread: str) -> dict[int, int]:
        with open(f"{thread}/maps", encoding="utf-8", errors="replace") as file:
            fields = [line.rstrip("\n").split(maxsplit=5) for line in file]
        return {int(field[4]): self._largest for field in fields if self._is_deleted(field[-1])}

    def _is_deleted(self, path: str) -> bool:
        return path.startswith(f"{self._folder}/") and path.endswith(_DELETED)


def _size(facts: os.stat_result) -> int:
    """Return what a file takes; some file systems count its blocks late."""
    return max(512 * facts.st_blocks, facts.st_size)
