# SPDX-License-Identifier: MIT
"""The generated files as text: emit functions, event table, CTF metadata."""

from dataclasses import replace

C_TYPES = {'u64': 'u64', 's64': 's64', 'x64': 'u64', 'u32': 'u32', 'u16': 'u16', 'u8': 'u8',
           'text': 'const char *'}
TABLE_TYPES = {'u64': 'TRACE_U64', 's64': 'TRACE_S64', 'x64': 'TRACE_X64',
               'u32': 'TRACE_U32', 'u16': 'TRACE_U16', 'u8': 'TRACE_U8', 'text': 'TRACE_TEXT'}
HEADER = ('// SPDX-License-Identifier: MIT\n'
          '// Generated from trace/events/*.def by trace/tools/gen_events.py.\n')


def data_words(event):
    """Each data word as a C expression of its fields, packed from the most significant end."""
    words, parts, used = [], [], 0
    for field in event.fields:
        if field.type == 'text':
            continue
        used += field.bits
        shift = 64 - used
        value = field.name if C_TYPES[field.type] == 'u64' else f'(u64){field.name}'
        parts.append(f'{value} << {shift}' if shift else value)
        if used == 64:
            words.append(' | '.join(parts))
            parts, used = [], 0
    return words


def append(event, header, words):
    """The call that stores an event."""
    if event.has_text:
        first = f'(const u64[]){{{", ".join(words)}}}' if words else 'NULL'
        return f'trace_append_text({header}, {first}, {event.fields[-1].name});'
    arguments = ''.join(f',\n                 {word}' for word in words)
    return f'trace_emit_{len(words)}({header}{arguments});'


def parameters(event):
    typed = [f'{C_TYPES[field.type]} {field.name}'.replace('* ', '*') for field in event.fields]
    return ', '.join(typed) or 'void'


def by_letters(event):
    """The same with other names of fields: a name that changes does not change events.h, on which
    most of the kernel depends."""
    return replace(event, fields=tuple(replace(field, name=letter)
                                       for field, letter in zip(event.fields, 'abcdefgh')))


def emitter(event):
    event = by_letters(event)
    words = data_words(event)
    major = f'TRACE_MAJOR_{event.major.name}'
    header = f'TRACE_HEADER({len(words)}, {major}, {event.minor})'
    return f'''
static inline __attribute__((always_inline)) void trace_{event.name}({parameters(event)})
{{
    TRACE_POINT({major}, enabled);
    return;
enabled:
    __attribute__((cold, unused));
    {append(event, header, words)}
}}
'''


def events_h(majors, events, omitted):
    numbers = ''.join(f'#define TRACE_MAJOR_{major.name} {major.number} // {major.description}\n'
                      for major in majors)
    minors = ''.join(f'#define TRACE_{event.major.name}_{event.name.upper()} {event.minor}\n'
                     for event in events)
    everything = sum(1 << major.number for major in majors if major not in omitted)
    nothing = sum(1 << major.number for major in omitted)
    return f'''{HEADER}
// trace_<event>() emits an event when its major is enabled, and is one nop otherwise. Any context,
// PMI included. Arguments are evaluated only when enabled, if they have no side effects. They are
// the fields of the description, in its order.
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

{numbers}
#ifdef WITHOUT_trace // a kernel that has none (make OBSERVERS=…)
#define TRACE_ALL_MAJORS 0UL
#define TRACE_OMITTED {everything | nothing:#x}
#else
#define TRACE_ALL_MAJORS {everything:#x}UL
#define TRACE_OMITTED {nothing:#x} // compiled out (make TRACE_WITHOUT=…)
#endif

// Minors, for those who make an event word themselves.
{minors}
#ifndef __ASSEMBLER__
#include <trace/point.h>
{''.join(emitter(event) for event in events)}
#else
// TRACE_HEADER in r12, for trace_append_<words> (sequence.S).
    .macro trace_header words, major, minor
    lis     r12, (((\\words + 1) << 22) | (\\major << 16)) >> 16
    ori     r12, r12, \\minor
    .endm
#endif
#endif
'''


def table_entry(event):
    fields = ', '.join(f'{{{TABLE_TYPES[field.type]}, "{field.name}"}}' for field in event.fields)
    fields = f', .fields = {{{fields}}}' if fields else ''
    return (f'    {{.major = {event.major.number}, .minor = {event.minor}, '
            f'.words = {event.words}, .field_count = {len(event.fields)},\n'
            f'     .name = "{event.name}", .format = "{event.format}"{fields}}},\n')


def metadata_type(field):
    if field.type in ('x64', 'text'):
        return {'x64': 'hex64', 'text': 'char8'}[field.type]
    return f'{"int" if field.type == "s64" else "uint"}{field.bits}'


def metadata_event(event, words, stream):
    """One event declaration. Readers drop the underscore that keeps field names from keywords."""
    lines = [f'event {{ name = "{event.name}"; id = {event.header(words):#x}; '
             f'stream_id = {stream}; fields := struct {{']
    for field in event.fields:
        size = f'[{(words - event.words) * 8}]' if field.type == 'text' else ''
        lines.append(f'    {metadata_type(field)} _{field.name}{size};')
    lines.append('}; };')
    return lines


def metadata_lines(events):
    """Of the kernel's stream, and of those of processes."""
    lines = []
    for stream in (0, 1):
        for event in events:
            for words in event.lengths:
                lines += metadata_event(event, words, stream)
    return lines


def c_string(line):
    return '    "' + line.replace('\\', '\\\\').replace('"', '\\"') + '\\n"\n'


def event_table_c(majors, events):
    major_entries = ''.join(f'    {{{major.number}, "{major.name}", "{major.description}"}},\n'
                            for major in majors)
    return f'''{HEADER}#include <trace/table.h>

const struct trace_major_info trace_majors[] = {{
{major_entries}}};
const u32 trace_major_count = {len(majors)};

const struct trace_event_info trace_events[] = {{
{''.join(table_entry(event) for event in events)}}};
const u32 trace_event_count = {len(events)};

const char trace_metadata_events[] =
{''.join(c_string(line) for line in metadata_lines(events))}    "";
'''
