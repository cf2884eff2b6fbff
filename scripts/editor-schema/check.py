"""Validates every suite, file of fragments and conformance profile of this repository and of a new root, and checks the
messages for typos in a suite.
"""

import copy
import json
import sys
from pathlib import Path

import jsonschema_rs
from ruamel.yaml import YAML

SUITE = """
about: A case with one of everything that the typos below change.
cases:
  one:
    about: It is never run.
    steps:
      - create_buffer: { id: src, type: dram, size: 64, page_size: 64 }
      - create_kernel:
          { id: k, program: p, kernel: k, cores: all, processor: riscv_0, noc: noc_0, defines: { A: 4, B: true, C: "" } }
      - set_runtime_args: { kernel: k, args: [{ buffer: src }, 3] }
      - enqueue_write_buffer: { buffer: src, data: { uniform: uint32, seed: 7 } }
      - finish: {}
        expect_error: { code: EmptyProgram, program: x }
    expect:
      - equal: [out, src]
"""

# Where a key is misspelt, and each message that may follow.
TYPOS = [
    (["steps", 0], "create_buffer", ["'create_buffr'"]),
    (["steps", 0, "create_buffer"], "page_size", ["'page_siz'", '"page_size" is a required']),
    (["steps", 2, "set_runtime_args", "args", 0], "buffer", ["'buffr'"]),
    (["steps", 3, "enqueue_write_buffer", "data"], "uniform", ["'unifrm'"]),
    (["steps", 4], "expect_error", ["'expect_eror'"]),
    (["steps", 4, "expect_error"], "program", ["'progrm'", '"program" is a required']),
    (["expect", 0], "equal", ["'equl'"]),
]
# Where a value is misspelt, and each message that may follow.
VALUES = [
    (["steps", 4, "expect_error"], "code", "EmptyProgrm", ['"EmptyProgrm" is not one of "']),
]
MISSPELT = {
    "program": "progrm",
    "create_buffer": "create_buffr",
    "page_size": "page_siz",
    "buffer": "buffr",
    "uniform": "unifrm",
    "expect_error": "expect_eror",
    "equal": "equl",
}


def parsed(text):
    return YAML(typ="safe", pure=True).load(text)


def validator(path):
    return jsonschema_rs.validator_for(json.loads(Path(path).read_text()))


def invalid_files():
    folders = {
        "fragments": validator("suites/fragments.schema.json"),
        "conformance-profiles": validator("suites/conformance-profile.schema.json"),
    }
    suites = validator("suites/schema.json")
    new_root = Path("harness/src/cli/init/starting_root/suites")
    files = sorted([*Path("suites").glob("*/*.yaml"), *new_root.glob("*/*.yaml")])
    for file in files:
        for error in folders.get(file.parent.name, suites).iter_errors(parsed(file.read_text())):
            yield f"{file}: {'/'.join(map(str, error.instance_path))}: {error.message}"
    print(f"{len(files)} files")


def other_messages():
    schema = validator("suites/schema.json")
    suite = parsed(SUITE)
    for error in schema.iter_errors(suite):
        yield f"without a typo: {error.message}"
    keys = [(path, key, MISSPELT[key], None, allowed) for path, key, allowed in TYPOS]
    values = [(path, key, key, wrong, allowed) for path, key, wrong, allowed in VALUES]
    for path, key, other_key, value, allowed in [*keys, *values]:
        changed = copy.deepcopy(suite)
        place = changed["cases"]["one"]
        for part in path:
            place = place[part]
        right = place.pop(key)
        place[other_key] = right if value is None else value
        misspelt = other_key if value is None else value
        messages = [error.message for error in schema.iter_errors(changed)]
        if not any(misspelt in message for message in messages):
            yield f"`{misspelt}` is not named: {messages}"
        for message in messages:
            if not any(words in message for words in allowed):
                yield f"`{misspelt}` leads to: {message}"


faults = [*invalid_files(), *other_messages()]
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
