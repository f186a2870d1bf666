# SPDX-License-Identifier: MIT
"""Reads the events of a program, which it describes itself: provider(NAME), then its events."""

import re

from event_defs import IDENTIFIER, DefError, Event, check_event, entries_of, parse_fields

MAX_EVENTS = 64  # struct sys_trace_description and what the call takes
MAX_PROVIDER = 15
MAX_NAME = 31
MAX_FIELD = 23

PROVIDER_LINE = re.compile(r'provider\((%s)\)$' % IDENTIFIER)
EVENT_LINE = re.compile(r'event\((\d+),\s*(%s),\s*"([^"\\]*)"(.*)\)$' % IDENTIFIER)


def parse_provider(place, line, majors):
    match = PROVIDER_LINE.match(line)
    if not match:
        place.fail('expected provider(NAME) before the events')
    if len(match[1]) > MAX_PROVIDER:
        place.fail(f'the name is longer than {MAX_PROVIDER} characters')
    if match[1].upper() in (major.name for major in majors):
        place.fail(f'{match[1]} is the name of a major')
    return match[1]


def parse_event(place, line, major):
    match = EVENT_LINE.match(line)
    if not match:
        place.fail('expected event(minor, name, "format", TYPE field, …)')
    if len(match[2]) > MAX_NAME:
        place.fail(f'the name is longer than {MAX_NAME} characters')
    if not match[3].isascii() or not match[3].isprintable():
        place.fail('the format must be printable ASCII')
    if match[4] and not match[4].startswith(','):
        place.fail('expected a comma after the format')
    fields = parse_fields(place, match[4])
    for field in fields:
        if len(field.name) > MAX_FIELD:
            place.fail(f'the name {field.name} is longer than {MAX_FIELD} characters')
    check_event(place, match[3], fields)
    return Event(major, int(match[1]), match[2], match[3], fields)


def load_program(path, majors, taken):
    """Its provider and events. taken: names of functions that there are. Raises DefError."""
    major = next(major for major in majors if major.name == 'PROGRAM')
    provider, events, names = None, [], set(taken)
    for place, line in entries_of(path):
        if provider is None:
            provider = parse_provider(place, line, majors)
            continue
        event = parse_event(place, line, major)
        function = f'{provider}_{event.name}'
        if event.minor != len(events):
            place.fail(f'minor {event.minor} must be {len(events)}: they follow each other')
        if len(events) == MAX_EVENTS:
            place.fail(f'at most {MAX_EVENTS} events are allowed')
        if function in names:
            place.fail(f'there is a function trace_{function} already')
        names.add(function)
        events.append(event)
    if not events:
        raise DefError(f'{path}: error: it describes no event')
    return provider, events
