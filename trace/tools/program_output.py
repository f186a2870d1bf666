# SPDX-License-Identifier: MIT
"""What is generated for a program with events of its own: emit functions and descriptions."""

from event_output import TABLE_TYPES, append, data_words, parameters

HEADER = '// SPDX-License-Identifier: MIT\n// Generated from {} by trace/tools/gen_events.py.\n'


def emitter(provider, event):
    words = data_words(event)
    header = (f'TRACE_HEADER({len(words)}, TRACE_MAJOR_PROGRAM, {event.minor}) + '
              f'trace_{provider}_first')
    return f'''
// "{event.format}"
TRACE_INLINE trace_{provider}_{event.name}({parameters(event)})
{{
    TRACE_POINT(TRACE_MAJOR_PROGRAM, enabled);
    return;
enabled:
    __attribute__((cold, unused));
    if (trace_{provider}_first == TRACE_REFUSED)
        trace_undescribed({event.minor}, "{provider}");
    else
        {append(event, header, words)}
}}
'''


def program_h(source, provider, events):
    guard = f'TRACE_EVENTS_OF_{provider.upper()}_H'
    return f'''{HEADER.format(source)}
// trace_{provider}_<event>() emits an event when major PROGRAM is enabled in this process, and is
// one nop otherwise. Any context.
#ifndef {guard}
#define {guard}

#include <trace/events.h>

extern u32 trace_{provider}_first; // minor; TRACE_REFUSED: the description was refused
{''.join(emitter(provider, event) for event in events)}
#endif
'''


def description(provider, event):
    lines = [f'    {{.provider = "{provider}", .name = "{event.name}",',
             f'     .format = "{event.format}",']
    if event.fields:
        names = ', '.join(f'"{field.name}"' for field in event.fields)
        lines += [f'     .types = {{{", ".join(TABLE_TYPES[f.type] for f in event.fields)}}},',
                  f'     .fields = {{{names}}},']
    return '\n'.join([*lines, f'     .field_count = {len(event.fields)}}},\n'])


def program_c(source, header, provider, events):
    return f'''{HEADER.format(source)}#include "{header}"

#include <orrery/sys.h>
#include <trace/table.h>

static const struct sys_trace_description descriptions[] = {{
{''.join(description(provider, event) for event in events)}}};

u32 trace_{provider}_first = TRACE_REFUSED;

// Before other constructors, which may log.
__attribute__((constructor(101))) static void describe(void)
{{
    s64 first = sys_trace_describe(descriptions, sizeof(descriptions));
    if (first >= 0)
        trace_{provider}_first = (u32)first;
}}
'''
