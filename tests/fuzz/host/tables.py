# SPDX-License-Identifier: MIT
"""All calls that a program can be made of: system calls from their table, methods of servers from
their descriptions, and the target's own. Structs behind pointers come from the headers."""

import pathlib
import re
import sys
from dataclasses import dataclass, field

import meanings

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "kernel/syscalls"), str(ROOT / "ipc/tools")]

import idl  # noqa: E402
import syscall_defs  # noqa: E402

ARGUMENTS, FIELDS, CALLS_MAX = 10, 16, 224  # guest/format/format.h
ARRAY_ELEMENTS = 2  # of an array in a struct, that get values of their own

KINDS = ["plain", "special", "method", "own"]
PARAMETERS = ["value", "in", "out", "inout", "bytes_in", "bytes_out", "string", "method_word",
              "method_string", "method_bytes", "method_cap", "method_room"]
POOLS = ["process", "memory", "endpoint", "file", "any", "region", "handle", "socket", "link",
         "sampling", "counting", "workload", "call", "child", "monitor"]

# Parameters of the calls that take registers as they are: r3 first.
WORDS = ["number"] * 6
SPECIALS = {"wait": [], "poll": [], "resume": ["resume"],
            "call": ["endpoint", "number", "call_flags", "info", *WORDS],
            "reply": ["zero", "call_id", "status", "info", *WORDS],
            "reply_wait": ["zero", "call_id", "status", "info", *WORDS],
            "send": ["endpoint", "cpu_or_any", "zero", "zero", *WORDS]}
# What the target does beside calls (guest/target/own.c).
OWN = {"touch": ["region", "bool"], "execute": ["code"], "poke": ["region", "number"],
       "scribble": ["region", "words", "number"], "spin": ["words"], "fpu": [], "pump": ["small"],
       "raw": ["syscall", *["any_number"] * 8]}

# Fields of a method's step: what takes the place of the message's words,
# length and capability (guest/target/method.c).
MESSAGE_FIELDS = ["w0", "w1", "w2", "w3", "w4", "w5", "bytes", "cap"]

# What a call gives, when it succeeds.
MAKES = {"process_create": "process", "memory_new": "memory", "initrd": "memory",
         "memory_readable": "memory",
         "file_create": "file", "endpoint_create": "endpoint", "cap_copy": "any",
         "pmu_count_open": "memory", "sampling_start": "sampling", "pmu_count_start": "counting",
         "workload_start": "workload", "monitor_create": "monitor", "monitor_map": "memory",
         "fs.open": "handle", "fs.duplicate": "handle", "fs.pipe": "handle",
         "net_session.create": "socket", "net_session.accept": "socket"}
# The kind of the capability that an answer brings.
BRINGS = {"fs.map": "memory", "names.lookup": "endpoint", "net.open": "link",
          "net_session.doorbell": "endpoint", "net_session.create": "memory",
          "net_session.accept": "memory"}
# Servers by name: the interface that they serve, and where their methods go: a grant of format.h,
# or what has come from another method. An interface that is not here goes to any endpoint.
SERVERS = {"fs": ("fs", "slot.fs"), "proc": ("fs", "slot.proc"), "names": ("names", "slot.names"),
           "net": ("net", "slot.net"), "net_session": ("net_session", "link.0")}


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    meaning: str
    length_of: int = -1  # the parameter with the length in bytes
    maximum: int = 0
    structure: str = ""


@dataclass
class Call:
    name: str
    kind: str
    number: int = 0
    right: str = "0"
    parameters: list = field(default_factory=list)
    makes: str = ""
    brings: str = ""
    weight: int = 10
    excluded: bool = False

    @property
    def structure(self):
        return next((one.structure for one in self.parameters if one.structure), "")


def meaning_of(scope, name, type_, names):
    exact = meanings.EXACT.get(f"{scope}.{name}")
    return exact or names.get(name) or meanings.TYPES[type_]


# ---- structs -------------------------------------------------------------------------------------

STRUCT = re.compile(r"^struct (sys_\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
DECLARATION = re.compile(r"\s*(struct \w+|char|u8|u16|u32|u64|s32|s64|cap_t|coid_t)\s+([^;]+);")
NAME = re.compile(r"(\w+)(?:\[(\w*)\])?$")


@dataclass(frozen=True)
class Field:
    place: str  # as in C: events[1].period
    meaning: str  # "": a text in place


class Structs:
    """The structs of orrery/*.h, and the fields of each that get values of their own, in order."""

    def __init__(self, folder=ROOT / "include/orrery"):
        self.bodies = {}
        for path in sorted(folder.glob("*.h")):
            text = COMMENT.sub("", path.read_text(encoding="utf-8"))
            self.bodies.update((match[1], match[2]) for match in STRUCT.finditer(text))

    def fields(self, name):
        return list(self.expand(name, ""))[:FIELDS]

    def expand(self, name, prefix):
        for match in DECLARATION.finditer(self.bodies[name]):
            for declared in match[2].split(","):
                yield from self.declared(name, match[1], NAME.match(declared.strip()), prefix)

    def declared(self, struct, type_, match, prefix):
        name, is_array = match[1], match[2] is not None
        if type_ == "char":
            yield Field(prefix + name, "text")
            return
        places = [f"{prefix}{name}[{i}]"
                  for i in range(ARRAY_ELEMENTS)] if is_array else [prefix + name]
        for place in places:
            if type_.startswith("struct "):
                yield from self.expand(type_.split()[1], place + ".")
            elif type_ != "coid_t":
                yield Field(place, meaning_of(struct, name, type_, meanings.NAMES))


# ---- system calls --------------------------------------------------------------------------------

BYTES_KINDS = {"in": "bytes_in", "in?": "bytes_in", "out": "bytes_out", "told": "bytes_out",
               "result": "bytes_out"}


# What a capability has to name (syscall_defs.OBJECTS).
OBJECT_MEANINGS = {"process": "process", "loading": "process", "memory": "memory",
                   "readable": "memory", "served": "file", "own": "endpoint",
                   "monitor": "monitor", "slot": "cap"}


def plain_parameter(call, parameter):
    names = [one.name for one in call.parameters]
    meaning = "data"
    if parameter.object:
        meaning = "own_or_child" if parameter.optional else OBJECT_MEANINGS[parameter.object]
        return Parameter(parameter.name, "value", meaning)
    if parameter.is_value:
        return Parameter(parameter.name, "value",
                         meaning_of(call.name, parameter.name, parameter.type, meanings.NAMES))
    if parameter.kind == "string":
        return Parameter(parameter.name, "string",
                         meaning_of(call.name, parameter.name, "u64", meanings.NAMES), -1,
                         parameter.maximum)
    if parameter.type == "bytes":
        length_of = names.index(parameter.length) if parameter.length else -1
        return Parameter(parameter.name, BYTES_KINDS[parameter.kind], meaning, length_of,
                         parameter.maximum)
    structure = parameter.type.split()[-1]
    if structure == "u64":
        return Parameter(parameter.name, parameter.kind, meaning, -1, 8, "u64_" + parameter.name)
    return Parameter(parameter.name, parameter.kind, meaning, -1, 0, structure)


def system_call(call):
    if call.is_special:
        given = SPECIALS.get(call.name, ["number"] * ARGUMENTS)
        parameters = [Parameter(f"r{i + 3}", "value", one) for i, one in enumerate(given)]
    else:
        parameters = [plain_parameter(call, one) for one in call.parameters]
    return Call(call.name, "special" if call.is_special else "plain", call.number,
                "0" if call.right == "-" else call.right.rstrip("?"), parameters,
                MAKES.get(call.name, ""), "", meanings.WEIGHTS.get(call.name, 10),
                call.name in meanings.EXCLUDED)


# ---- methods -------------------------------------------------------------------------------------

def method_parameters(server, interface, method):
    """In the order of the message: integers, room, structs, strings and buffers, capability."""
    names = {**meanings.NAMES, **meanings.METHOD_NAMES}
    scope = f"{interface.name}.{method.name}"

    def make(one, kind, type_="u64"):
        return Parameter(one.name, kind, meaning_of(scope, one.name, type_, names), -1, one.limit)

    yield Parameter("server", "value", "server_" + server)
    for one in method.some("in", "integer"):
        yield make(one, "method_word", one.type)
    for one in method.some("out", "string", "bytes"):
        yield Parameter(one.name, "method_room", "size", -1, one.limit)
    for one in method.some("in", "struct"):
        yield Parameter(one.name, "method_bytes", "struct", -1, one.size)
    for one in method.some("in", "string", "bytes"):
        if one.kind == "string":
            yield make(one, "method_string")
        else:
            yield Parameter(one.name, "method_bytes", "data", -1, one.limit)
    for one in method.some("in", "cap"):
        yield make(one, "method_cap", "cap_t")


def methods(server, interface):
    for method in interface.methods:
        known = f"{interface.name}.{method.name}"
        yield Call(f"{server}.{method.name}", "method", interface.word(method), "0",
                   list(method_parameters(server, interface, method)), MAKES.get(known, ""),
                   BRINGS.get(known, ""), meanings.WEIGHTS.get(known, 10))


# ---- all -----------------------------------------------------------------------------------------

class Tables:
    """All calls in the order of their numbers in programs, and the structs that they name."""

    def __init__(self):
        plain = [call for group in syscall_defs.load(ROOT / "kernel/syscalls/syscalls.def")
                 for call in group.calls]
        errors = idl.load_errors(ROOT / "include/orrery/errors.h")
        interfaces = {one.name: one for one in (idl.load(path, errors)
                                                for path in sorted((ROOT / "ipc").glob("*.idl")))}
        self.servers = dict(SERVERS)
        self.servers.update({name: (name, "any.0") for name in interfaces
                             if name not in {one for one, _ in SERVERS.values()}})
        self.structs = Structs()
        self.calls = [system_call(call) for call in plain]
        self.calls += [Call(name, "own", i, "0", [Parameter(f"a{j}", "value", one)
                                                  for j, one in enumerate(given)], "", "",
                            meanings.WEIGHTS.get(name, 10)) for i,
                       (name, given) in enumerate(OWN.items())]
        for server, (interface, _) in self.servers.items():
            self.calls += methods(server, interfaces[interface])
        if len(self.calls) > CALLS_MAX:
            raise ValueError(f"{len(self.calls)} calls: FUZZ_CALLS_MAX in format.h has to grow")
        self.by_name = {call.name: i for i, call in enumerate(self.calls)}
        self.choices = dict(meanings.CHOICES)
        for server, (_, place) in self.servers.items():
            self.choices["server_" + server] = [place] * 16 \
                + ["endpoint.0", "slot.hub", "any.0", "slot.fs"]

    def fields(self, structure):
        """The fields of a struct that get values of their own."""
        if structure.startswith("u64_"):
            return [Field("", meaning_of("", structure[4:], "u64", meanings.NAMES))]
        return self.structs.fields(structure)

    def call_fields(self, call):
        """What stands in braces behind a call: the fields of its struct, or what spoils a method's
        message."""
        if call.kind == "method":
            return [Field(place, "number") for place in MESSAGE_FIELDS]
        return self.fields(call.structure) if call.structure else []

    def structures(self):
        return sorted({call.structure for call in self.calls if call.structure})
