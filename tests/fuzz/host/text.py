# SPDX-License-Identifier: MIT
"""Programs as text (.fuzz files), and as the guest has them (guest/format/format.h).

    process rights=0 cpu=0 group=0         a process (only in replays does it matter which)
    program answers supplies               its next program
    memory_new("fuzz", 0x2000)             a step; steps are numbered from 0 in each program
    region_create(0, data) {address=0, bytes=0x1000, kind=4, prot=3, memory=$0}
    touch(region.0, 1) enabled thread=1

Values: numbers; $N (what step N returned); @place; KIND.N (the N-th youngest of what calls have
given of that kind); slot.NAME (what every process is granted); pid.NAME, cpu.NAME, now (+
microseconds), event.FIELD, "text", text.long, data.PLACEMENT(BYTES):CONTENTS; +N or -N behind;
cap<<VALUE for the upper half of a message's info. In braces stand the fields of a struct that an
argument points to, or what spoils a method's message.
"""

import re
import struct
from dataclasses import dataclass, field

import tables

PAGE = 4096
MAGIC = 0x4F5246555A5A3031
PAGE_STATE, PAGE_PROGRAM, PAGE_CORPUS, PAGE_TOTALS = 1, 2, 3, 4
HEAD = struct.Struct(">QIIIIQ")
VALUE = struct.Struct(">BBHiQ")
STEP_HEAD = struct.Struct(">HBBI")
STEP_BYTES, STEPS_A_PAGE, PROGRAM_PAGES = 424, 9, 4
STEPS = STEPS_A_PAGE * PROGRAM_PAGES
PROGRAM_BYTES = PROGRAM_PAGES * PAGE
FIRST = struct.Struct(">IIIIIIQ")  # behind the head
STEPS_AT = HEAD.size + FIRST.size + 21 * 8

LITERAL, RESULT, POOL, PLACE, PID, CPU, TIME, EVENT, TEXT, DATA = range(10)
PLACES = ["null", "user_start", "image", "text", "entry", "upcall", "landing", "toc", "rodata",
          "area", "area_other", "area_read_only", "area_executable", "hole", "stack", "stack_spare",
          "upcall_stack", "slot", "coverage", "common", "heap", "map", "map_other", "monitor",
          "window", "window_other", "message", "trace", "pmu", "objects", "ltt", "counts",
          "user_end", "kernel", "kernel_text", "kernel_data", "kernel_window", "real", "data",
          "image_offset", "bss", "end"]
PIDS = ["self", "parent", "child", "peer", "service", "init", "huge"]
CPUS = ["own", "other", "count"]
EVENTS = ["type", "id", "badge", "info", "w0", "w1", "w2", "w3", "w4", "w5"]
PLACEMENTS = ["normal", "unaligned", "edge", "crossing", "crossing_read_only", "read_only",
              "executable", "message", "hole"]
SLOTS = ["none", "names", "hub", "fs", "net", "proc", "image", "slot", "coverage", "common", "peer",
         "silent"]
TEXTS = ["", "a", "fuzz", "thirty-one characters, and a NUL", "thirty-two characters, and a NUL.",
         "run", "controller", "oneshot", "no-such-option", "idle:seconds=1",
         "demo:seconds=1,work=1-2-4", "churn:seconds=1", "dref-storm:calls=1000",
         "no-such-workload", "demo:seconds=x", "/tmp/fuzz", "/tmp/fuzz/a", "/tmp/a", "/tmp", "/",
         "/bin/sh", "/proc", "/proc/1/maps", "/proc/meminfo", "/dev/null", "/data/a",
         "/tmp/../tmp//a/.", "tmp", "fs", "net", "proc", "child", "/proc/1/objects", "/tmp/b",
         "counters:seconds=1,swaps=100", "SharedCounter", "DistributedCounter", "KernelThread"]
LONG_TEXT = len(TEXTS)  # longer than any limit; its end is a page's, behind which nothing is mapped
STEP_FLAGS = {"enabled": 1, "eternal": 2, "hasty": 4}
PROGRAM_FLAGS = {"answers": 1, "supplies": 2, "monitored": 4}


class TextError(Exception):
    """A program that is wrong; the text says where."""


@dataclass(frozen=True)
class Value:
    mode: int = LITERAL
    which: int = 0
    shift: int = 0
    delta: int = 0
    literal: int = 0

    def pack(self):
        return VALUE.pack(self.mode, self.which, self.shift, self.delta, self.literal)


@dataclass
class Step:
    call: int
    arguments: list
    fields: list = field(default_factory=list)
    thread: int = 0
    flags: int = 0

    def pack(self):
        values = self.arguments + [Value()] * (tables.ARGUMENTS - len(self.arguments))
        values += self.fields + [Value()] * (tables.FIELDS - len(self.fields))
        return STEP_HEAD.pack(self.call, self.thread, self.flags, 0) + b"".join(value.pack()
                                                                                for value in values)


@dataclass
class Program:
    steps: list = field(default_factory=list)
    flags: int = 0
    rights: int = 0
    cpu: int = 0
    group: int = 0
    process: int = 0
    gained: int = 0
    number: int = 0

    def pack(self, kind=PAGE_CORPUS, owner=0):
        pages = []
        for part in range(PROGRAM_PAGES):
            steps = self.steps[part * STEPS_A_PAGE:(part + 1) * STEPS_A_PAGE]
            page = HEAD.pack(MAGIC, kind, owner, 0, part, self.number)
            page += FIRST.pack(len(self.steps), self.flags, self.rights, self.cpu, self.group,
                               self.process, self.gained) if part == 0 else b""
            page = page.ljust(STEPS_AT, b"\0") + b"".join(step.pack() for step in steps)
            pages.append(page.ljust(PAGE, b"\0"))
        return b"".join(pages)


def unpack_value(data, at):
    return Value(*VALUE.unpack_from(data, at))


def unpack(data, known):
    """A program from its pages. Calls beyond the table are left out."""
    number = HEAD.unpack_from(data)[5]
    count, flags, rights, cpu, group, process, gained = FIRST.unpack_from(data, HEAD.size)
    program = Program([], flags, rights, cpu, group, process, gained, number)
    for index in range(min(count, STEPS)):
        at = index // STEPS_A_PAGE * PAGE + STEPS_AT + index % STEPS_A_PAGE * STEP_BYTES
        call, thread, step_flags, _ = STEP_HEAD.unpack_from(data, at)
        if call >= len(known.calls):
            continue
        values = [unpack_value(data, at + STEP_HEAD.size + i * VALUE.size)
                  for i in range(tables.ARGUMENTS + tables.FIELDS)]
        described = known.calls[call]
        fields = values[tables.ARGUMENTS:][:len(known.call_fields(described))]
        program.steps.append(Step(call, values[:len(described.parameters)], fields, thread,
                                  step_flags))
    return program


# ---- values as text ------------------------------------------------------------------------------

TOKEN = re.compile(r"""\s*(?:(?P<number>-?0[xX][0-9a-fA-F]+|-?\d+)|\$(?P<result>\d+)|@(?P<place>\w+)
                       |(?P<text>"[^"]*")
                       |(?P<word>cap<<|[a-z_]+)(?:\.(?P<which>\w+))?(?:\.(?P<nth>\d+))?
                       |(?P<mark>[(){}=,:+-]))""", re.VERBOSE)
DELTA = re.compile(r"([+-])(0[xX][0-9a-fA-F]+|\d+)")


def index_of(names, name, what):
    if name not in names:
        raise TextError(f"no {what} {name}; there are {' '.join(names)}")
    return names.index(name)


class Reader:
    """Values out of a line."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def skip(self):
        while self.text[self.at:self.at + 1] in (" ", "\t"):
            self.at += 1

    def next_is(self, mark):
        self.skip()
        return self.text.startswith(mark, self.at)

    def accept(self, mark):
        if not self.next_is(mark):
            return False
        self.at += len(mark)
        return True

    def expect(self, mark):
        if not self.accept(mark):
            raise TextError(f"expected {mark} at '{self.text[self.at:]}'")

    def word(self, pattern=re.compile(r"[\w\[\].]+")):
        self.skip()
        match = pattern.match(self.text, self.at)
        if not match:
            raise TextError(f"expected a name at '{self.text[self.at:]}'")
        self.at = match.end()
        return match[0]

    def number(self):
        return int(self.word(re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)")), 0)

    def delta(self):
        match = DELTA.match(self.text, self.at)
        if not match:
            return 0
        self.at = match.end()
        return int(match[1] + "1") * int(match[2], 0)

    def value(self):
        self.skip()
        match = TOKEN.match(self.text, self.at)
        if not match:
            raise TextError(f"no value: '{self.text[self.at:]}'")
        self.at = match.end()
        if match["number"]:
            return Value(literal=int(match["number"], 0) & (1 << 64) - 1)
        if match["text"] is not None:
            return Value(TEXT, literal=index_of(TEXTS, match["text"][1:-1], "text"))
        if match["result"]:
            return Value(RESULT, literal=int(match["result"]), delta=self.delta())
        if match["place"]:
            return Value(PLACE, index_of(PLACES, match["place"], "place"), delta=self.delta())
        if match["word"] == "cap<<":
            inner = self.value()
            literal = inner.literal << 32 if inner.mode == LITERAL else inner.literal
            return Value(inner.mode, inner.which, 32 if inner.mode != LITERAL else 0, inner.delta,
                         literal)
        if match["word"]:
            return self.named(match["word"], match["which"], match["nth"])
        raise TextError(f"no value: '{match[0]}'")

    def named(self, word, which, nth):
        if word == "data":
            return self.data(which)
        if word == "now":
            return Value(TIME, delta=self.delta())
        if word == "text":
            return Value(TEXT, literal=LONG_TEXT)
        if word == "slot":
            return Value(literal=index_of(SLOTS, which, "slot"))
        if word == "pid":
            return Value(PID, index_of(PIDS, which, "pid"), literal=int(nth or 0))
        if word == "cpu":
            return Value(CPU, index_of(CPUS, which, "cpu"))
        if word == "event":
            return Value(EVENT, index_of(EVENTS, which, "event field"), delta=self.delta())
        return Value(POOL, index_of(tables.POOLS, word, "kind"), literal=int(which or 0),
                     delta=self.delta())

    def data(self, placement):
        bytes_ = literal = 0
        if self.accept("("):
            bytes_ = self.number()
            self.expect(")")
        if self.accept(":"):
            literal = self.number()
        return Value(DATA, index_of(PLACEMENTS, placement or "normal", "placement"), delta=bytes_,
                     literal=literal)


def signed(delta):
    return f"{delta:+#x}" if delta else ""


def literal_text(value):
    return str(value) if value < 4096 else str(value - (1 << 64)) if value >= (1 << 64) - 4096 \
        else hex(value)


def value_text(value):
    if value.shift:
        return "cap<<" + value_text(Value(value.mode, value.which, 0, value.delta, value.literal))
    delta = signed(value.delta)
    if value.mode == LITERAL:
        return literal_text(value.literal)
    if value.mode == RESULT:
        return f"${value.literal}{delta}"
    if value.mode == POOL:
        return f"{tables.POOLS[value.which]}.{value.literal}{delta}"
    if value.mode == PLACE:
        return f"@{PLACES[value.which]}{delta}"
    if value.mode == PID:
        return f"pid.{PIDS[value.which]}.{value.literal}"
    if value.mode == CPU:
        return f"cpu.{CPUS[value.which]}"
    if value.mode == TIME:
        return f"now{delta}"
    if value.mode == EVENT:
        return f"event.{EVENTS[value.which]}{delta}"
    if value.mode == TEXT:
        return f'"{TEXTS[value.literal]}"' if value.literal < LONG_TEXT else "text.long"
    bytes_ = f"({value.delta})" if value.delta else ""
    contents = f":{literal_text(value.literal)}" if value.literal else ""
    return f"data.{PLACEMENTS[value.which]}{bytes_}{contents}"


# ---- programs as text ----------------------------------------------------------------------------

class Source:
    """Reads a .fuzz file."""

    def __init__(self, known):
        self.known = known

    def fields(self, reader, call):
        described = [one.place for one in self.known.call_fields(call)]
        values = [Value()] * len(described)
        while not reader.accept("}"):
            place = reader.word() if described != [""] else ""
            if place:
                reader.expect("=")
            values[index_of(described, place, f"field of {call.name}:")] = reader.value()
            reader.accept(",")
        return values

    def step(self, line):
        reader = Reader(line)
        name = reader.word()
        if name not in self.known.by_name:
            raise TextError(f"no call {name}")
        index = self.known.by_name[name]
        call = self.known.calls[index]
        step = Step(index, [])
        reader.expect("(")
        while not reader.accept(")"):
            step.arguments.append(reader.value())
            reader.accept(",")
        if reader.accept("{"):
            step.fields = self.fields(reader, call)
        if len(step.arguments) > tables.ARGUMENTS:
            raise TextError(f"more than {tables.ARGUMENTS} arguments")
        self.options(step, line[reader.at:].split())
        return step

    @staticmethod
    def options(step, words):
        for word in words:
            if word in STEP_FLAGS:
                step.flags |= STEP_FLAGS[word]
            elif word.startswith("thread="):
                step.thread = int(word[7:])
            else:
                raise TextError(f"{word}: neither thread=N nor one of {' '.join(STEP_FLAGS)}")

    def read(self, text, path="program"):
        programs, settings, process = [], {"rights": 0, "cpu": 0, "group": 0}, -1
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            words = line.split()
            try:
                if not words:
                    continue
                if words[0] == "process":
                    process += 1
                    settings.update((key, int(value, 0))
                                    for key, value in (word.split("=") for word in words[1:]))
                elif words[0] == "program":
                    flags = sum(PROGRAM_FLAGS[word] for word in words[1:])
                    programs.append(Program(flags=flags, process=max(process, 0), **settings))
                else:
                    programs[-1].steps.append(self.step(line))
            except (TextError, KeyError, ValueError, IndexError) as error:
                raise TextError(f"{path}:{number}: {error}: {line}") from error
            if programs and len(programs[-1].steps) > STEPS:
                raise TextError(f"{path}:{number}: more than {STEPS} steps")
        return programs


def step_text(step, known):
    call = known.calls[step.call]
    arguments = ", ".join(value_text(value) for value in step.arguments)
    given = [(one.place, value) for one, value in zip(known.call_fields(call), step.fields)
             if value != Value()]
    fields = ", ".join(f"{place}={value_text(value)}" if place else value_text(value)
                       for place, value in given)
    flags = [name for name, bit in STEP_FLAGS.items() if step.flags & bit]
    thread = [f"thread={step.thread}"] if step.thread else []
    return " ".join([f"{call.name}({arguments})", *([f"{{{fields}}}"] if fields else []), *flags,
                     *thread])


def programs_text(programs, known):
    lines, process = [], None
    for program in programs:
        key = (program.group, program.process)
        if key != process:
            lines.append(f"process rights={program.rights:#x} cpu={program.cpu} "
                         f"group={program.group}")
            process = key
        flags = [name for name, bit in PROGRAM_FLAGS.items() if program.flags & bit]
        lines.append(" ".join(["program", *flags]))
        lines += [step_text(step, known) for step in program.steps]
    return "\n".join(lines) + "\n"
