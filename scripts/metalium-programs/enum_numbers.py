"""Prints as JSON the numbers of TT-Metalium's enums that Python knows: {enum: {name: number}}."""

import json
import sys
import types

import ttnn


def enums(module, seen):
    """The enums of a module and of those below it."""
    if module.__name__ in seen:
        return
    seen.add(module.__name__)
    for name in dir(module):
        held = getattr(module, name, None)
        members = getattr(held, "__members__", None) if isinstance(held, type) else None
        if members is not None:
            yield name, {member: getattr(value, "value", None) for member, value in members.items()}
        elif isinstance(held, types.ModuleType) and held.__name__.startswith("ttnn."):
            yield from enums(held, seen)


found = dict(enums(ttnn, set()))
# The import prints lines of its own.
sys.stdout.write("\n" + json.dumps({name: numbers for name, numbers in found.items() if all(
    isinstance(number, int) for number in numbers.values())}) + "\n")
