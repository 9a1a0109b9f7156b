"""Whether two programs are equal up to positions and comments."""

import tomllib
from pathlib import Path


def flat(value, path=()):
    """Every text, number and list of a program with its way from the root. Lists keep their order."""
    if isinstance(value, dict):
        for key, held in value.items():
            if path or key != "layout":
                yield from flat(held, (*path, key))
    else:
        yield path, value


def differences(one, other):
    """Lines that say how two program files differ; none where they are equal up to positions and comments."""
    left, right = (dict(flat(tomllib.loads(Path(path).read_text()))) for path in (one, other))
    found = []
    for path in sorted(left.keys() | right.keys()):
        if left.get(path) != right.get(path):
            found.append(f"{'.'.join(path)}: {left.get(path)!r} is not {right.get(path)!r}")
    return found


def order(path):
    """Ways to all values of a program in the order of the file."""
    return [way for way, _ in flat(tomllib.loads(Path(path).read_text()))]
