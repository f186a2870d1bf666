# SPDX-License-Identifier: MIT
"""Reads the table of system calls and checks it: every error names file and line."""

import re
from dataclasses import dataclass

FIRST_SPECIAL = 0x100
MAX_PARAMETERS = 8  # r3…r10
MAX_BYTES = 65536

GROUP_LINE = re.compile(r'group\("([^"]+)"\)$')
CALL_LINE = re.compile(r'(call|call_void)\(([a-z][a-z0-9_]*), (-|RIGHT_[A-Z]+\??), ([a-z]+), '
                       r'"([^"]*)"((?:, [^,]+)*)\)$')
SPECIAL_LINE = re.compile(r'special\(([a-z][a-z0-9_]*), ([a-z]+), "([^"]*)"\)$')
VALUE = re.compile(r'(u64|s64|u32|s32|bool) ([a-z][a-z0-9_]*)$')
OBJECT = re.compile(r'(process|loading|memory|readable|served|own|monitor|slot)(\?)? '
                    r'([a-z][a-z0-9_]*)$')
POINTER = re.compile(r'(in|out|inout) (struct [a-z][a-z0-9_]*|u64) ([a-z][a-z0-9_]*)$')
BYTES = re.compile(r'(in|in\?|out|told|result) bytes\[(?:([a-z][a-z0-9_]*)<=)?(\d+)\] '
                   r'([a-z][a-z0-9_]*)$')
STRING = re.compile(r'string\[(\d+)\] ([a-z][a-z0-9_]*)$')


# Who is affected, besides the caller. True: the caller can reach them by no capability, so a right
# has to be asked for.
AFFECTED = {
    'nobody': False,
    'holders': False,  # those who have a capability for the same object
    'callers': False,  # those who call the caller's endpoint
    'server': False,  # the process that serves the endpoint
    'child': False,  # a process that has not been started, by a capability for it
    'readers': False,  # those who list the trace's events: they see names that it chose
    'console': False,  # all who read it
    'process': True,  # one named by its number
    'machine': True,  # everybody
}
# What a capability names: the type of the kernel's function's parameter, and whether 0 can stand
# for the caller.
OBJECTS = {
    'process': ('struct process *', True),
    'loading': ('struct process *', True),
    'memory': ('struct fcm *', False),
    'readable': ('struct fcm *', False),
    'served': ('struct file *', False),
    'own': ('struct endpoint *', False),
    'monitor': ('struct monitor *', False),
    'slot': ('cap_t ', False),
}


class DefError(Exception):
    """A description that is wrong; the text is ready to be shown."""


@dataclass(frozen=True)
class Parameter:
    kind: str  # value, in, out, told, inout, in?, result, string
    type: str  # of a value, or of what is pointed at; bytes
    name: str
    length: str = ''  # bytes: the parameter with the length, '' when it is fixed
    maximum: int = 0
    object: str = ''  # of a capability: what it has to name (OBJECTS)
    optional: bool = False  # … or 0: the caller itself

    @property
    def is_value(self):
        return self.kind == 'value'


@dataclass(frozen=True)
class Call:
    number: int
    name: str
    right: str  # '-': none; with ?: the function asks for it, for what is not the caller's own
    affected: str
    about: str
    parameters: tuple
    is_void: bool = False
    is_special: bool = False


@dataclass(frozen=True)
class Group:
    heading: str
    calls: list


def parse_parameter(text):
    if match := VALUE.match(text):
        return Parameter('value', match[1], match[2])
    if match := OBJECT.match(text):
        if match[2] and not OBJECTS[match[1]][1]:
            return None
        return Parameter('value', 'cap_t', match[3], object=match[1], optional=bool(match[2]))
    if match := POINTER.match(text):
        return Parameter(match[1], match[2], match[3])
    if match := BYTES.match(text):
        return Parameter(match[1], 'bytes', match[4], match[2] or '', int(match[3]))
    if match := STRING.match(text):
        return Parameter('string', 'string', match[2], '', int(match[1]))
    return None


class Reader:
    """The table while it is read."""

    def __init__(self, path):
        self.path = path
        self.groups = []
        self.line = 0
        self.next_plain, self.next_special = 1, FIRST_SPECIAL
        self.names = set()

    def fail(self, text):
        raise DefError(f'{self.path}:{self.line}: error: {text}')

    def read(self):
        entry = ''
        for number, text in enumerate(self.path.read_text().splitlines(), 1):
            text = text.strip()
            if not text or text.startswith('//'):
                continue
            if not entry:
                self.line = number
            entry = f'{entry} {text}'.strip()
            if not entry.endswith(','):  # else it goes on in the next line
                self.read_entry(entry)
                entry = ''
        if entry:
            self.fail('the last entry has no end')
        return self.groups

    def read_entry(self, text):
        if match := GROUP_LINE.match(text):
            self.groups.append(Group(match[1], []))
            return
        if not self.groups:
            self.fail('expected group("heading") first')
        if match := CALL_LINE.match(text):
            self.add(self.plain(match))
        elif match := SPECIAL_LINE.match(text):
            self.check_affected(match[2], '-')
            self.add(Call(self.next_special, match[1], '-', match[2], match[3], (),
                          is_special=True))
            self.next_special += 1
        else:
            self.fail('expected group, call, call_void or special')

    def add(self, call):
        if call.name in self.names:
            self.fail(f'{call.name} is there twice')
        self.names.add(call.name)
        self.groups[-1].calls.append(call)

    def check_affected(self, affected, right):
        if affected not in AFFECTED:
            self.fail(f'who is affected: one of {", ".join(AFFECTED)}')
        if AFFECTED[affected] and right == '-':
            whom = 'a process by its number' if affected == 'process' else 'everybody'
            self.fail(f'what affects {whom} needs a right')

    def plain(self, match):
        parameters = []
        self.check_affected(match[4], match[3])
        for text in match[6].split(', ')[1:]:
            parameter = parse_parameter(text)
            if parameter is None:
                self.fail(f'bad parameter "{text}"')
            parameters.append(parameter)
        if len(parameters) > MAX_PARAMETERS:
            self.fail(f'more than {MAX_PARAMETERS} parameters')
        values = {p.name for p in parameters if p.is_value and p.type == 'u64'}
        for parameter in parameters:
            if parameter.length and parameter.length not in values:
                self.fail(f'{parameter.length} is no u64 parameter')
            if parameter.maximum > MAX_BYTES:
                self.fail(f'{parameter.name}: more than {MAX_BYTES} bytes')
        number = self.next_plain
        self.next_plain += 1
        if number >= FIRST_SPECIAL:
            self.fail('too many calls')
        return Call(number, match[2], match[3], match[4], match[5], tuple(parameters),
                    match[1] == 'call_void')


def load(path):
    """All groups, in order."""
    return Reader(path).read()
