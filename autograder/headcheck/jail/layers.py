"""What a jail is made of: the names of its layers, the level they give together, and one child's plan."""

from dataclasses import dataclass

NAMESPACES, LANDLOCK, SECCOMP = "namespaces", "landlock", "seccomp"
LAYERS = (NAMESPACES, LANDLOCK, SECCOMP)


@dataclass(frozen=True)
class Plan:
    """What one child gets.

    Attributes:
        layers: those of `LAYERS` to put on; each must succeed.
        mount_point: empty folder of the host, the place of the private root.
        scratch: without a private root: folder of the host to work in and to write to; "" with one.
        files: folder of the host whose content is shown, read-only, in the working folder; "" for none.
        cgroup: folder of the control group to join; "" for none.
        uid: user id to have: our own, or as root one that no other jail uses.
        memory_mb: address space beyond what the zygote had, MB.
        cpu_s: processor time of the whole child, seconds.
        file_mb: largest file, MB.
        tmp_mb: size of each writable folder (of the scratch folder), MB.
        threads: most threads at a time.
    """

    layers: tuple[str, ...]
    mount_point: str
    scratch: str
    files: str
    cgroup: str
    uid: int
    memory_mb: int
    cpu_s: int
    file_mb: int
    tmp_mb: int
    threads: int


LEVELS = ("none", "B", "A")
"""Levels of isolation, the weakest first."""


def level(layers: tuple[str, ...]) -> str:
    """Name the isolation that a set of layers gives.

    Without Landlock (gVisor has none) a private root keeps files out of reach and the namespaces everything else; so
    that it counts as "A", and the list of missing layers says what is missing.

    Returns:
        "A", "B" or "none".
    """
    if {NAMESPACES, SECCOMP} <= set(layers):
        return "A"
    return "B" if {LANDLOCK, SECCOMP} <= set(layers) else "none"


def enough(got: str, minimum: str) -> bool:
    """Whether one level is at least as strong as another."""
    return LEVELS.index(got) >= LEVELS.index(minimum)
