# SPDX-License-Identifier: MIT
"""Reads the event descriptions and checks them: every error names file and line."""

import re
from dataclasses import dataclass

MAX_MAJORS = 64
MAX_WORDS = 6  # data words that the append sequence takes in registers
MAX_FIELDS = 8
MAX_NAME = 39  # struct sys_trace_event: name[40], format[136]
MAX_FORMAT = 135

IDENTIFIER = r'[a-z][a-z0-9_]*'
MAJOR_LINE = re.compile(r'major\(([A-Z][A-Z0-9_]*),\s*(\d+),\s*"([^"\\]*)"\)$')
EVENT_LINE = re.compile(r'event\(([A-Z][A-Z0-9_]*),\s*(\d+),\s*(%s),\s*"([^"\\]*)"(.*)\)$'
                        % IDENTIFIER)
FIELD = re.compile(r'(u64|s64|x64|u32|u16|u8|text) (%s)$' % IDENTIFIER)
CONVERSION = re.compile(r'%(?:#?lx|lu|ld|s|%)')

# A text takes the words that it needs, behind those of the other fields.
SIZES = {'u64': 64, 's64': 64, 'x64': 64, 'u32': 32, 'u16': 16, 'u8': 8, 'text': 0}


class DefError(Exception):
    """A description that is wrong; the text is ready to be shown."""


@dataclass(frozen=True)
class Major:
    name: str
    number: int
    description: str


@dataclass(frozen=True)
class Field:
    type: str
    name: str

    @property
    def bits(self):
        return SIZES[self.type]


@dataclass(frozen=True)
class Event:
    major: Major
    minor: int
    name: str
    format: str
    fields: tuple

    @property
    def words(self):
        """Data words, without a text's."""
        return sum(field.bits for field in self.fields) // 64

    @property
    def has_text(self):
        return bool(self.fields) and self.fields[-1].type == 'text'

    @property
    def lengths(self):
        """The numbers of data words that it may have."""
        return range(self.words + 1, MAX_WORDS + 1) if self.has_text else (self.words,)

    @property
    def id(self):
        return self.major.number << 16 | self.minor

    def header(self, words):
        """The low half of the event word: TRACE_HEADER of trace/layout.h."""
        return (words + 1) << 22 | self.id


class Place:
    """Where a description stands, for error texts."""

    def __init__(self, path, number):
        self.text = f'{path}:{number}'

    def fail(self, text):
        raise DefError(f'{self.text}: error: {text}')


def entries_of(path):
    """What every line says, with its place; one that ends in a comma goes on in the next."""
    entry = ''
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith('//'):
            continue
        if not entry:
            place = Place(path, number)
        entry = f'{entry} {line}'.strip()
        if not entry.endswith(','):
            yield place, entry
            entry = ''
    if entry:
        place.fail('the last entry has no end')


def load_majors(path):
    majors = {}
    for place, line in entries_of(path):
        match = MAJOR_LINE.match(line)
        if not match:
            place.fail('expected major(NAME, number, "description")')
        name, number, description = match[1], int(match[2]), match[3]
        if number >= MAX_MAJORS:
            place.fail(f'major {name}: number {number} is not below {MAX_MAJORS}')
        for other in majors.values():
            if name == other.name or number == other.number:
                place.fail(f'major {name}, {number} clashes with {other.name}, {other.number}')
        majors[name] = Major(name, number, description)
    return majors


def parse_fields(place, text):
    fields = []
    for part in text.split(',')[1:]:
        match = FIELD.match(part.strip())
        if not match:
            place.fail(f'expected a field as "TYPE name", TYPE one of {", ".join(SIZES)}: '
                       f'"{part.strip()}"')
        if match[2] in (field.name for field in fields):
            place.fail(f'two fields are named {match[2]}')
        fields.append(Field(match[1], match[2]))
    if len(fields) > MAX_FIELDS:
        place.fail(f'{len(fields)} fields, at most {MAX_FIELDS} are allowed')
    return tuple(fields)


def check_packing(place, fields):
    """Small fields must fill words exactly: nothing straddles a word, nothing is padded."""
    used = 0
    for field in fields:
        if used % 64 + field.bits > 64:
            place.fail(f'field {field.name} straddles a word: {used % 64} bits of it are taken')
        used += field.bits
    if used % 64:
        place.fail(f'the fields leave {64 - used % 64} bits of the last word unfilled')
    if used // 64 > MAX_WORDS:
        place.fail(f'{used // 64} data words, at most {MAX_WORDS} are allowed')


def check_text(place, fields):
    if any(field.type == 'text' for field in fields[:-1]):
        place.fail('a text must be the last field')
    if fields and fields[-1].type == 'text' and sum(f.bits for f in fields) // 64 == MAX_WORDS:
        place.fail(f'no word of {MAX_WORDS} is left for the text')


def check_format(place, text, fields):
    """One conversion a field: %s for a text, else one for 64 bits, to which all are widened."""
    if len(text) > MAX_FORMAT:
        place.fail(f'the format has {len(text)} characters, at most {MAX_FORMAT} are allowed')
    found = [match for match in CONVERSION.findall(text) if match != '%%']
    if '%' in CONVERSION.sub('', text):
        place.fail('conversions must be of %lu %ld %lx %#lx %s %%')
    if len(found) != len(fields):
        place.fail(f'the format has {len(found)} conversions for {len(fields)} fields')
    for conversion, field in zip(found, fields):
        if (conversion == '%s') != (field.type == 'text'):
            place.fail(f'%s is for texts, and they have no other: {field.name}')


def check_event(place, text, fields):
    check_packing(place, fields)
    check_text(place, fields)
    check_format(place, text, fields)


def parse_event(place, line, majors):
    match = EVENT_LINE.match(line)
    if not match:
        place.fail('expected event(MAJOR, minor, name, "format", TYPE field, …)')
    if match[1] not in majors:
        place.fail(f'major {match[1]} is not in majors.def')
    if match[5] and not match[5].startswith(','):
        place.fail('expected a comma after the format')
    minor = int(match[2])
    if minor >= 0xffff:
        place.fail(f'minor {minor} is not below 65535, which marks fillers')
    if len(match[3]) > MAX_NAME:
        place.fail(f'the name is longer than {MAX_NAME} characters')
    fields = parse_fields(place, match[5])
    check_event(place, match[4], fields)
    return Event(majors[match[1]], minor, match[3], match[4], fields)


def load(folder):
    """All majors and events of a folder, by number. Raises DefError."""
    majors_path = folder / 'majors.def'
    if not majors_path.is_file():
        raise DefError(f'{majors_path}: error: no such file')
    majors = load_majors(majors_path)
    events = []
    for path in sorted(folder.glob('*.def')):
        if path == majors_path:
            continue
        for place, line in entries_of(path):
            event = parse_event(place, line, majors)
            for other in events:
                if event.id == other.id or event.name == other.name:
                    place.fail(f'event {event.name} clashes with {other.name} '
                               f'(major {other.major.name}, minor {other.minor})')
            events.append(event)
    return (sorted(majors.values(), key=lambda major: major.number),
            sorted(events, key=lambda event: event.id))
