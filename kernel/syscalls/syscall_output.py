# SPDX-License-Identifier: MIT
"""The generated files as text: numbers, decoding, stubs, documentation."""

from syscall_defs import OBJECTS

HEADER = ('// SPDX-License-Identifier: MIT\n'
          '// Generated from kernel/syscalls/syscalls.def by kernel/syscalls/gen_syscalls.py.\n')

FITS = {'u32': '{} > UINT32_MAX', 'cap_t': '{} > UINT32_MAX', 'bool': '{} > 1',
        's32': '(s64){0} != (s32){0}'}


def all_calls(groups):
    return [call for group in groups for call in group.calls]


def plain_calls(groups):
    return [call for call in all_calls(groups) if not call.is_special]


def special_calls(groups):
    return [call for call in all_calls(groups) if call.is_special]


# ---- numbers -------------------------------------------------------------------------------------

def numbers_h(groups):
    lines = ''.join(f'#define SYS_{call.name.upper()} {call.number:#x}\n'
                    for call in all_calls(groups))
    special = special_calls(groups)
    return f'''{HEADER}#ifndef SYSCALLS_NUMBERS_H
#define SYSCALLS_NUMBERS_H

{lines}
#define SYSCALL_COUNT {len(plain_calls(groups)) + 1} // plain calls: 1 … SYSCALL_COUNT - 1
#define SYSCALL_SPECIAL_FIRST {special[0].number:#x}
#define SYSCALL_SPECIAL_COUNT {len(special)}

#endif
'''


def names_h(groups):
    lines = ' \\\n'.join(f'    ROW({call.number:#x}, "{call.name}")' for call in all_calls(groups))
    return f'''{HEADER}#ifndef SYSCALLS_NAMES_H
#define SYSCALLS_NAMES_H

#define SYSCALL_NAMES(ROW) \\
{lines}

#endif
'''


# ---- objects -------------------------------------------------------------------------------------

def named_objects(call):
    return [p for p in call.parameters if p.object and p.object != 'slot']


def object_prototype(call):
    parameters = ', '.join(f'{OBJECTS[p.object][0]}{p.name}' if p.object else c_parameter(p)
                           for p in call.parameters)
    return f's64 call_{call.name}({parameters})'


def objects_h(groups):
    prototypes = ''.join(f'{object_prototype(call)};\n'
                         for call in plain_calls(groups) if named_objects(call))
    return f'''{HEADER}
// The functions behind calls that name objects by capabilities: what they get is of the right type
// and whose it has to be, and there at least until they return.
#ifndef SYSCALLS_OBJECTS_H
#define SYSCALLS_OBJECTS_H

#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <orrery/process.h>

struct endpoint;
struct fcm;
struct file;
struct monitor;
struct process;

{prototypes}
#endif
'''


def look_up(call, parameter):
    """Lines that make the object of a parameter, or return the error."""
    name = parameter.name
    itself = f'{name}_cap == 0 ? look_up_caller() : ' if caller_is_held(call, parameter) else ''
    return (f'    HELD({parameter.object}) {OBJECTS[parameter.object][0]}{name} = '
            f'{itself}look_up_{parameter.object}({name}_cap, &error);\n'
            f'    if ({name} == NULL)\n        return error;\n')


def caller_is_held(call, parameter):
    """Whether 0 in place of a capability is looked up as the others are: there are others."""
    return parameter.optional and len(named_objects(call)) > 1


def for_caller(call, parameter):
    """Lines for a 0 in place of a capability: the caller itself, of which no reference is
    needed."""
    values = ', '.join('process_current()' if p == parameter else p.name for p in call.parameters)
    return f'    if ({parameter.name}_cap == 0)\n        return call_{call.name}({values});\n'


def with_objects(call):
    """The function of the C prototype, for a call that names objects; what holds references stands
    apart."""
    objects = named_objects(call)
    parameters = ', '.join(f'cap_t {p.name}_cap' if p in objects else c_parameter(p)
                           for p in call.parameters)
    held = (f'({parameters})\n{{\n    s64 error;\n' + ''.join(look_up(call, p) for p in objects)
            + f'    return call_{call.name}({", ".join(p.name for p in call.parameters)});\n}}\n')
    optional = [p for p in objects if p.optional and not caller_is_held(call, p)]
    if not optional:
        return f's64 sys_{call.name}{held}'
    arguments = ', '.join(f'{p.name}_cap' if p in objects else p.name for p in call.parameters)
    return (f'static s64 held_{call.name}{held}\ns64 sys_{call.name}({parameters})\n{{\n'
            + ''.join(for_caller(call, p)
                      for p in optional) + f'    return held_{call.name}({arguments});\n}}\n')


# ---- shapes --------------------------------------------------------------------------------------

OUTPUTS = ('out', 'told', 'inout', 'result')


def shape_of(call, parameter):
    """One parameter: its kind, its bytes, and which parameter has its length (-1: none)."""
    names = [p.name for p in call.parameters]
    length = names.index(parameter.length) if parameter.length else -1
    if parameter.is_value:
        owner = next((p for p in call.parameters if p.length == parameter.name), None)
        kind, size = ('VALUE', '0') if owner is None else ('LENGTH', str(owner.maximum))
    else:
        kind = {'in?': 'IN', 'string': 'IN'}.get(parameter.kind, parameter.kind.upper())
        fixed = parameter.type in ('bytes', 'string')
        size = str(parameter.maximum) if fixed else f'sizeof({parameter.type})'
    return f'{{SHAPE_{kind}, {size}, {length}}}'


def shapes_h(groups):
    rows = ''.join(
        f'    X({call.number}, {call.name}, '
        + ', '.join(shape_of(call, p) for p in call.parameters) + ') \\\n'
        for call in plain_calls(groups) if any(p.kind in OUTPUTS for p in call.parameters))
    return f'''{HEADER}
// The calls that write to the caller's memory: X(number, name, parameter, …). A parameter is
// {{kind, bytes, index of the one with its length or -1}}. Of a LENGTH, bytes is what it may be.
#ifndef SYSCALLS_SHAPES_H
#define SYSCALLS_SHAPES_H

enum shape_kind {{
    SHAPE_VALUE, SHAPE_LENGTH, SHAPE_IN, SHAPE_OUT, SHAPE_INOUT, SHAPE_TOLD, SHAPE_RESULT
}};
#define SYSCALL_SHAPES(X) \\
{rows}

#endif
'''


# ---- decoding ------------------------------------------------------------------------------------

def bounced(call):
    return [p for p in call.parameters if not p.is_value]


def check_lines(call):
    """Rights and values; nothing has been touched yet."""
    lines = []
    if call.right.strip('?') == call.right != '-':
        lines.append(f'    if (!permitted({call.right}))\n        return E_PERM;\n')
    for i, parameter in enumerate(call.parameters):
        if parameter.is_value and parameter.type in FITS:
            condition = FITS[parameter.type].format(f'r{i + 3}')
            lines.append(f'    if ({condition})\n        return E_INVAL;\n')
    return ''.join(lines)


def length_of(call, parameter):
    """C expression of a buffer's length, given that it has been checked."""
    if not parameter.length:
        return str(parameter.maximum)
    names = [p.name for p in call.parameters]
    value = f'r{names.index(parameter.length) + 3}'
    if parameter.kind == 'result':
        return f'min_u64({value}, {parameter.maximum})'
    return value


def limit_lines(call):
    lines = []
    for parameter in bounced(call):
        if parameter.length and parameter.kind != 'result':
            value = length_of(call, parameter)
            lines.append(f'    if ({value} > {parameter.maximum})\n        return E_INVAL;\n')
    return ''.join(lines)


def open_call(call, index, parameter):
    """Expression that makes a parameter's kernel copy: 0 or an error."""
    user = f'r{index + 3}'
    place = f'&{parameter.name}_copy'
    if parameter.kind == 'string':
        return f'bounce_string({place}, {user}, {parameter.maximum})'
    size = length_of(call, parameter) if parameter.type == 'bytes' else f'sizeof({parameter.type})'
    name = {'in?': 'in_optional', 'inout': 'in'}.get(parameter.kind, parameter.kind)
    return f'bounce_{name}({place}, {user}, {size})'


def argument(call, index, parameter):
    if parameter.is_value:
        return f'({parameter.type})r{index + 3}' if parameter.type != 'u64' else f'r{index + 3}'
    return f'{parameter.name}_copy.memory'


def arguments(call):
    names = {p.length: p for p in call.parameters if p.kind == 'result' and p.length}
    result = []
    for i, parameter in enumerate(call.parameters):
        if parameter.name in names:
            result.append(f'{names[parameter.name].name}_copy.bytes')
        else:
            result.append(argument(call, i, parameter))
    return ', '.join(result)


def signature(call):
    registers = ', '.join(f'u64 r{i + 3}' for i in range(len(call.parameters))) or 'void'
    return f'static s64 decode_{call.name}({registers})'


def plain_body(call):
    if call.is_void:
        return f'    sys_{call.name}({arguments(call)});\n    return 0;\n'
    cast = '(s64)' if call.name == 'trace_mask' else ''
    return f'    return {cast}sys_{call.name}({arguments(call)});\n'


def bounced_body(call):
    declared = ', '.join(f'{p.name}_copy' for p in bounced(call))
    lines = [f'    struct bounce {declared};\n    s64 result = 0;\n\n']
    lines += [f'    {p.name}_copy.memory = NULL;\n' for p in bounced(call)]
    lines += [f'    if (result == 0)\n        result = {open_call(call, i, p)};\n'
              for i, p in enumerate(call.parameters) if not p.is_value]
    # Where the reader has got to goes last: if the memory for what was read is not there, it stays.
    back = ''.join(f'        result = bounce_back(&{p.name}_copy, result, {copied(p)});\n'
                   for p in reversed(bounced(call)) if p.kind in ('out', 'told', 'inout', 'result'))
    lines.append(f'    if (result == 0) {{\n        result = sys_{call.name}({arguments(call)});\n'
                 f'{back}    }}\n')
    lines += [f'    bounce_close(&{p.name}_copy);\n' for p in bounced(call)]
    return ''.join(lines) + '    return result;\n'


def copied(parameter):
    if parameter.kind == 'result':
        return 'BOUNCE_RESULT'
    return 'BOUNCE_ALWAYS' if parameter.kind == 'told' else 'BOUNCE_SUCCESS'


def decoder(call):
    body = bounced_body(call) if bounced(call) else plain_body(call)
    return f'{signature(call)}\n{{\n{check_lines(call)}{limit_lines(call)}{body}}}\n'


# Groups of calls that kernels without an observer do not have (kernel/module.mk).
OBSERVERS = {'Monitors': 'monitors', 'Logs for schedulers': 'log', 'Trace': 'trace'}


def decoding(group):
    """Of a group's plain calls; without its observer they do not exist."""
    calls = plain_calls([group])
    text = '\n'.join([*(with_objects(call) for call in calls if named_objects(call)),
                      *(decoder(call) for call in calls)])
    observer = OBSERVERS.get(group.heading)
    if observer is None:
        return text
    absent = ''.join(f'#define decode_{call.name} decode_none\n' for call in calls)
    return f'#ifdef WITHOUT_{observer}\n{absent}#else\n{text}#endif\n'


def table_c(groups):
    decoders = '\n'.join(decoding(group) for group in groups if plain_calls([group]))
    plain = ''.join(f'    [{call.number}] = (syscall_function)decode_{call.name},\n'
                    for call in plain_calls(groups))
    special = ''.join(f'    special_{call.name},\n' for call in special_calls(groups))
    return f'''{HEADER}#include "syscalls/bounce.h"
#include "syscalls/look_up.h"
#include "syscalls/objects.h"
#include "syscalls/special.h"
#include "syscalls/syscalls.h"

#include <kernel/process.h>
#include <orrery/ipc.h>
#include <orrery/log.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <orrery/place.h>
#include <orrery/pmu.h>
#include <orrery/sys.h>

static s64 decode_none(void)
{{
    return E_NOTSUP;
}}

{decoders}
const syscall_function syscall_functions[SYSCALL_COUNT] = {{
    [0] = (syscall_function)decode_none,
{plain}}};

const special_function special_functions[SYSCALL_SPECIAL_COUNT] = {{
{special}}};
'''


# ---- user stubs ----------------------------------------------------------------------------------

def stubs_s(groups):
    stubs = ''.join(f'    stub {call.name}, {call.number:#x}\n' for call in plain_calls(groups))
    return f'''{HEADER}
// What is kept and what is changed: orrery/process.h and docs/system-calls.md.
    .macro stub name, number
    .globl  sys_\\name
    .section .opd, "aw"
sys_\\name:
    .quad   .sys_\\name, .TOC.@tocbase, 0
    .section .text.sys_\\name, "ax", @progbits
    .type   .sys_\\name, @function
.sys_\\name:
    li      0, \\number
    sc
    blr
    .size   .sys_\\name, . - .sys_\\name
    .endm

{stubs}'''


# ---- documentation -------------------------------------------------------------------------------

def c_parameter(parameter):
    if parameter.is_value:
        return f'{parameter.type} {parameter.name}'
    if parameter.kind == 'string':
        return f'const char *{parameter.name}'
    const = 'const ' if parameter.kind in ('in', 'in?') else ''
    return f'{const}{"void" if parameter.type == "bytes" else parameter.type} *{parameter.name}'


def limits(call):
    notes = []
    for parameter in bounced(call):
        if parameter.type == 'bytes' and parameter.length:
            notes.append(f'`{parameter.length}` ≤ {parameter.maximum}')
        elif parameter.type == 'bytes':
            notes.append(f'`{parameter.name}`: {parameter.maximum} bytes')
        elif parameter.type == 'string':
            notes.append(f'`{parameter.name}` ≤ {parameter.maximum} bytes')
    return '; '.join(notes)


OBJECT_TEXT = {
    'process': 'a process', 'loading': 'a process not started', 'memory': 'a memory object',
    'readable': 'a memory object, also for reading alone',
    'served': 'a file that it serves', 'own': 'an endpoint of its own', 'monitor': 'a monitor',
    'slot': 'its capability',
}


def named(call):
    """What a call's capabilities have to name."""
    texts = [OBJECT_TEXT[p.object] + (', 0: itself' if p.optional else '')
             for p in call.parameters if p.object]
    return '; '.join(texts)


def row(call):
    if call.is_special:
        return (f'| {call.number:#x} | `SYS_{call.name.upper()}` | | | {call.affected} '
                f'| {call.about} | |\n')
    parameters = ', '.join(c_parameter(p) for p in call.parameters) or 'void'
    right = f'`{call.right}`' if call.right != '-' else ''
    return (f'| {call.number} | `sys_{call.name}({parameters})` | {right} | {named(call)} '
            f'| {call.affected} | {call.about} | {limits(call)} |\n')


def document(groups):
    tables = ''.join(f'\n## {group.heading}\n\n'
                     '| number | call | right | names | affects | what | limits |\n'
                     '|---|---|---|---|---|---|---|\n'
                     + ''.join(row(call) for call in group.calls) for group in groups)
    return f'''# System calls

Generated from `kernel/syscalls/syscalls.def`; `make docs/system-calls.md` renews it. The contracts
stand with the prototypes in `include/orrery/{{sys,process,place,memory,ipc,pmu,monitors}}.h`.

`sc` with the number in r0 and arguments in r3 … r10; the result comes in r3: 0, a count, a handle,
or a negative error (`include/orrery/errors.h`). A call changes r0, r3 … r12, CTR, XER and the
condition fields 0, 1, 5, 6 and 7; all else is kept. The kernel first checks right, values and
lengths, copies in what pointers name, then acts, and copies results out: a wrong argument gives an
error and changes nothing, not the caller's memory either, but for a `message`, which then says what
is wrong. A number that does not exist gives `E_NOTSUP`. Calls without a C
prototype take and return an event in registers (`include/orrery/user.h`, `include/orrery/ipc.h`).

**right**: without it `E_PERM`; with a `?` it is asked for only where the call is about what is not
the caller's own. **names**: what the call's capabilities have to name, else `E_INVAL` (of another
type), `E_NOENT` (nothing), `E_PERM` (another's); looked up and held by generated code before the
call's function runs. **affects**: who else may notice: *nobody*; *holders* of capabilities for the
same object; *callers* of the caller's endpoint; the *server* of an endpoint; a *child* that has not
been started; who reads the *console*; a *process* named by its number, or the whole *machine*: the
generator refuses these two without a right.
{tables}'''
