# SPDX-License-Identifier: MIT
"""Whether what the gateway says in JSON is what messages.def says of it."""

import sys

from conftest import ROOT

sys.path.insert(1, str(ROOT / "viewer/gateway"))

import messages  # noqa: E402

SCHEMA = messages.read(ROOT / "viewer/gateway/messages.def")
SAID = {one.name: one for one in SCHEMA.said}
TYPES = {"text": str, "lines": str, "integer": int, "number": (int, float), "flag": bool}


def check(kind, value, place):
    """Checks a value of a type of messages.def, with all that is in it."""
    plain = kind.removesuffix("[]")
    if plain != kind:
        assert isinstance(value, list), place
        for one in value:
            check(plain, one, place)
    elif plain in TYPES:
        assert isinstance(value, TYPES[plain]), f"{place}: {value!r}"
        assert plain == "flag" or not isinstance(value, bool), f"{place}: {value!r}"
    else:
        check_fields(SAID[plain], value, place)


def check_fields(said, data, place):
    fields = {name: (kind, optional) for kind, optional, name, _ in said.parts}
    assert set(data) <= set(fields), place
    for name, (kind, optional) in fields.items():
        if not optional or data.get(name) is not None:
            check(kind, data.get(name), f"{place}.{name}")
