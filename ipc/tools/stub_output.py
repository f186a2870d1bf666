# SPDX-License-Identifier: MIT
"""The generated files as text: header, client stubs, server dispatch, documentation."""

import textwrap

from idl import LENGTH_BYTES, MESSAGE_WORDS

HEADER = ('// SPDX-License-Identifier: MIT\n'
          '// Generated from {path} by ipc/tools/gen_stubs.py.\n')


def comment_lines(text, indent=''):
    return ''.join(f'{indent}// {line}'.rstrip() + '\n' for line in text.splitlines())


def wrapped(head, parts, tail, indent=4):
    """A parameter or argument list that keeps to 100 columns."""
    lines, line = [], head
    for index, part in enumerate(parts):
        part += ', ' if index < len(parts) - 1 else tail
        if len(line) + len(part.rstrip()) > 100:
            lines.append(line.rstrip())
            line = ' ' * (len(head) if len(head) < 40 else indent)
        line += part
    return '\n'.join(lines + [line])


# --- how a parameter looks in C -------------------------------------------------------------------

def in_declarations(parameter):
    name = parameter.name
    return {'integer': [f'{parameter.type} {name}'],
            'struct': [f'const {parameter.type} *{name}'],
            'cap': [f'cap_t {name}'],
            'string': [f'const char *{name}'],
            'bytes': [f'const void *{name}', f'u64 {name}_bytes']}[parameter.kind]


def out_declarations(parameter):
    name = parameter.name
    return {'integer': [f'{parameter.type} *{name}'],
            'struct': [f'{parameter.type} *{name}'],
            'cap': [f'cap_t *{name}'],
            'string': [f'char *{name}', f'u64 {name}_room'],
            'bytes': [f'void *{name}', f'u64 {name}_room', f'u64 *{name}_bytes']}[parameter.kind]


def declarations(method):
    result = []
    for parameter in method.parameters:
        result += (in_declarations if parameter.direction == 'in' else out_declarations)(parameter)
    return result


def client_head(interface, method, tail):
    return wrapped(f's64 {interface.name}_{method.name}(',
                   ['cap_t server'] + declarations(method), f'){tail}')


def server_head(interface, method, tail):
    return wrapped(f's64 {interface.name}_server_{method.name}(',
                   ['struct ipc_caller *caller'] + declarations(method), f'){tail}')


def answer_head(interface, method, tail):
    parts = []
    for parameter in method.some('out'):
        parts += in_declarations(parameter)
    return wrapped(f's64 {interface.name}_answer_{method.name}(',
                   ['u64 call', 's64 status'] + parts, f'){tail}')


def number_name(interface, method):
    return f'{interface.name.upper()}_METHOD_{method.name.upper()}'


# --- the header -----------------------------------------------------------------------------------

def struct_text(struct):
    lines = [comment_lines(struct.comment) + f'struct {struct.name} {{\n']
    for entry in struct.fields:
        count = f'[{entry.count}]' if entry.count else ''
        lines.append(f'    {entry.type} {entry.name}{count};\n')
    lines.append('};\n')
    lines.append(f'_Static_assert(sizeof(struct {struct.name}) == {struct.size}, '
                 f'"{struct.name}");\n\n')
    return ''.join(lines)


def method_comment(method):
    text = comment_lines(method.comment)
    if method.errors:
        text += f'// Errors: {", ".join(method.errors)}.\n'
    return text


def header(interface):
    guard = f'IPC_{interface.name.upper()}_H'
    constants = ''.join(comment_lines(
        constant.comment) + f'#define {constant.name} {constant.text}\n'
                        for constant in interface.constants.values())
    structs = ''.join(struct_text(struct) for struct in interface.structs.values())
    numbers = ''.join(f'    {number_name(interface, method)} = {interface.word(method):#x},\n'
                      for method in interface.methods)
    clients = '\n'.join(method_comment(method) + client_head(interface, method, ';') + '\n'
                        for method in interface.methods)
    servers = ''.join(server_head(interface, method, ';') + '\n' for method in interface.methods)
    answers = ''.join(answer_head(interface, method, ';') + '\n'
                      for method in interface.methods if method.later)
    if answers:
        servers += ('\n// Answers to calls whose function returned IPC_LATER, by their '
                    'caller->call. E_NOENT: the\n// caller has gone.\n' + answers)
    return (HEADER.format(path=interface.path) + comment_lines(interface.comment)
            + f'''#ifndef {guard}
#define {guard}

#include <ipc/packet.h>

{constants}
{structs}enum {interface.name}_method {{
{numbers}}};

// ---- client stubs (ipc/README.md: the rules that all follow) ------------------------------------

{clients}
// ---- what a server supplies, and what it calls --------------------------------------------------

{servers}
// Decodes a request, calls the function above that it names, encodes its answer. Returns the
// answer's status: what the function returned, E_PROTO for a malformed request, E_NOTSUP for an
// unknown one. Given to ipc_interface_endpoint (ipc/packet.h).
s64 {interface.name}_dispatch(struct ipc_caller *caller, struct ipc_packet *request,
{' ' * (len(interface.name) + 14)}struct ipc_packet *reply);

#endif
''')


# --- client ---------------------------------------------------------------------------------------

def put(parameter, word):
    name = parameter.name
    return {'integer': f'    packet.words[{word}] = (u64){name};\n',
            'struct': f'    ipc_put_struct(&packet, {name}, sizeof(*{name}));\n',
            'cap': f'    packet.cap = {name};\n',
            'string': f'    ipc_put_string(&packet, {name}, {parameter.limit});\n',
            'bytes': f'    ipc_put_bytes(&packet, {name}, {name}_bytes, {parameter.limit});\n'
            }[parameter.kind]


def client_room(parameter, word):
    extra = ' + 1' if parameter.kind == 'string' else ''
    return (f'    packet.words[{word}] = '
            f'ipc_room({parameter.name}_room, {parameter.limit}{extra});\n')


def get_integer(parameter, packet, word):
    kind = 'signed' if parameter.type.startswith('s') else 'unsigned'
    bits = parameter.type[1:]
    return f'({parameter.type})ipc_get_{kind}({packet}, {word}, {bits})'


def client_get(parameter, word):
    name = parameter.name
    return {'integer': f'    *{name} = {get_integer(parameter, "&packet", word)};\n',
            'struct': f'    ipc_get_struct(&packet, {name}, sizeof(*{name}));\n',
            'cap': f'    *{name} = ipc_get_cap(&packet);\n',
            'string': f'    ipc_copy_string(&packet, {word}, {name}, {name}_room);\n',
            'bytes': f'    *{name}_bytes = ipc_copy_bytes(&packet, {word}, {name}, {name}_room);\n'
            }[parameter.kind]


def numbered(parameters, first):
    """(parameter, word) with words for the integers only."""
    word = first
    for parameter in parameters:
        yield parameter, word
        word += parameter.kind == 'integer'


def in_bulk_order(parameters):
    """Fixed parts first, so that the one variable part of an answer can be made in its place."""
    return sorted(parameters, key=lambda parameter: parameter.variable)


def stays(inputs, parameter):
    """A request's last buffer is sent from where it is."""
    return parameter is inputs[-1] and parameter.kind == 'bytes'


def length_word(method):
    """The word with the length of a request's last buffer, whose data then stays aligned.

    None: there is no last buffer, or no word is left.
    """
    inputs = in_bulk_order(method.some('in'))
    word = 1 + len(method.some('in', 'integer')) + len(method.some('out', 'string', 'bytes'))
    return word if inputs and stays(inputs, inputs[-1]) and word < MESSAGE_WORDS else None


def client_bulk(method, inputs, outputs):
    """Bytes that the stub's own buffer needs: not for a last buffer in, nor for what goes straight
    to the caller."""
    before_last = LENGTH_BYTES if length_word(method) is None else 0
    bulk_in = sum(before_last if stays(inputs, parameter) else parameter.bulk
                  for parameter in inputs)
    straight = len([parameter for parameter in outputs if parameter.bulk]) == 1 and any(
        parameter.variable for parameter in outputs)
    bulk_out = 0 if straight else sum(parameter.bulk for parameter in outputs)
    return max(bulk_in, bulk_out), straight


def client_stub(interface, method):
    inputs, outputs = in_bulk_order(method.some('in')), in_bulk_order(method.some('out'))
    rooms = method.some('out', 'string', 'bytes')
    first_room = 1 + len(method.some('in', 'integer'))
    bulk, straight = client_bulk(method, inputs, outputs)
    body = ''
    if bulk:
        body += f'    u64 bulk[{bulk // 8}];\n'
    body += '    struct ipc_packet packet;\n'
    body += (f'    ipc_packet_init(&packet, {"bulk" if bulk else "NULL"}, '
             f'{"sizeof(bulk)" if bulk else "0"}, {number_name(interface, method)});\n')
    for parameter, word in numbered(inputs, 1):
        if stays(inputs, parameter) and length_word(method) is not None:
            body += (f'    ipc_put_behind(&packet, {length_word(method)}, {parameter.name}, '
                     f'{parameter.name}_bytes, {parameter.limit});\n')
        elif stays(inputs, parameter):
            body += (f'    ipc_put_last(&packet, {parameter.name}, {parameter.name}_bytes, '
                     f'{parameter.limit});\n')
        else:
            body += put(parameter, word)
    for index, parameter in enumerate(rooms):
        body += client_room(parameter, first_room + index)
        if straight:
            body += (f'    packet.receive = {parameter.name};\n'
                     f'    packet.receive_room = (u32)packet.words[{first_room + index}];\n')
    body += '    s64 status = ipc_exchange(server, &packet);\n'
    if outputs:
        body += '    if (status < 0)\n        return status;\n'
    body += ''.join(client_get(parameter, word) for parameter, word in numbered(outputs, 0))
    body += '    return ipc_finish(&packet, status);\n'
    return client_head(interface, method, '') + '\n{\n' + body + '}\n'


def client(interface):
    return (HEADER.format(path=interface.path) + f'#include <ipc/{interface.name}.h>\n\n'
            + '\n'.join(client_stub(interface, method) for method in interface.methods))


# --- server ---------------------------------------------------------------------------------------

def server_get(parameter, word, behind=None):
    """Declares and decodes an input. behind: the word with the length of a last buffer
    (length_word)."""
    name = parameter.name
    if behind is not None:
        return (f'    u64 {name}_bytes = 0;\n'
                f'    const void *{name} = ipc_get_behind(request, {behind}, &{name}_bytes, '
                f'{parameter.limit});\n')
    return {'integer': f'    {parameter.type} {name} = '
                       f'{get_integer(parameter, "request", word)};\n',
            'struct': f'    {parameter.type} {name} = {{0}};\n'
                      f'    ipc_get_struct(request, &{name}, sizeof({name}));\n',
            'cap': f'    cap_t {name} = ipc_get_cap(request);\n',
            'string': f'    const char *{name} = ipc_get_string(request, {parameter.limit});\n',
            'bytes': f'    u64 {name}_bytes = 0;\n'
                     f'    const void *{name} = ipc_get_bytes(request, &{name}_bytes, '
                     f'{parameter.limit});\n'}[parameter.kind]


def server_room(parameter, word):
    extra = ' + 1' if parameter.kind == 'string' else ''
    name = parameter.name
    text = f'    u64 {name}_room = ipc_get_room(request, {word}, {parameter.limit}{extra});\n'
    return text + (f'    u64 {name}_bytes = 0;\n' if parameter.kind == 'bytes' else '')


def server_declare(parameter):
    name = parameter.name
    return {'integer': f'    {parameter.type} {name} = 0;\n',
            'struct': f'    {parameter.type} {name} = {{0}};\n',
            'cap': f'    cap_t {name} = 0;\n'}.get(parameter.kind, '')


def server_place(method):
    """Where the variable output is made: behind the structs, in the reply itself."""
    structs = sum(parameter.size for parameter in method.some('out', 'struct'))
    text = ''
    for parameter in method.some('out', 'string', 'bytes'):
        kind = 'char' if parameter.kind == 'string' else 'void'
        text += (f'    {kind} *{parameter.name} = ipc_place(reply, {structs}, '
                 f'{parameter.name}_room);\n')
    return text


def server_argument(parameter):
    name = parameter.name
    if parameter.direction == 'in':
        return {'struct': [f'&{name}'], 'bytes': [name, f'{name}_bytes']}.get(parameter.kind,
                                                                              [name])
    return {'string': [name, f'{name}_room'],
            'bytes': [name, f'{name}_room', f'&{name}_bytes']}.get(parameter.kind, [f'&{name}'])


def server_put(parameter, word):
    name = parameter.name
    return {'integer': f'    reply->words[{word}] = (u64){name};\n',
            'struct': f'    ipc_put_struct(reply, &{name}, sizeof({name}));\n',
            'cap': f'    reply->cap = {name};\n',
            'string': f'    ipc_placed_string(reply, {word}, {name}_room);\n',
            'bytes': f'    ipc_placed_bytes(reply, {word}, {name}_bytes, {name}_room);\n'
            }[parameter.kind]


def answer_put(parameter, word):
    name = parameter.name
    return {'string': f'    ipc_answer_string(&packet, {word}, {name}, {parameter.limit});\n',
            'bytes': f'    ipc_answer_bytes(&packet, {word}, {name}, {name}_bytes, '
                     f'{parameter.limit});\n'}.get(parameter.kind) or put(parameter, word)


def server_case(interface, method):
    inputs, outputs = in_bulk_order(method.some('in')), in_bulk_order(method.some('out'))
    rooms = method.some('out', 'string', 'bytes')
    first_room = 1 + len(method.some('in', 'integer'))
    body = ''.join(server_get(parameter, word,
                              length_word(method) if stays(inputs, parameter) else None)
                   for parameter, word in numbered(inputs, 1))
    body += ''.join(server_room(parameter, first_room + index)
                    for index, parameter in enumerate(rooms))
    body += ''.join(server_declare(parameter) for parameter in outputs)
    body += server_place(method)
    wrong = ' || reply->error != 0' if rooms else ''
    body += f'    if (!ipc_complete(request){wrong})\n        return E_PROTO;\n'
    arguments = ['caller']
    for parameter in method.parameters:
        arguments += server_argument(parameter)
    body += wrapped(f'    s64 status = {interface.name}_server_{method.name}(', arguments, ');',
                    8) + '\n'
    if outputs:
        body += '    if (status != 0)\n        return status;\n'
    body += ''.join(server_put(parameter, word) for parameter, word in numbered(outputs, 0))
    body += '    return reply->error;\n' if outputs else '    return status;\n'
    unused = '' if outputs else '    (void)reply;\n'
    head = wrapped(f'static s64 dispatch_{method.name}(',
                   ['struct ipc_caller *caller', 'struct ipc_packet *request',
                    'struct ipc_packet *reply'], ')')
    return f'{head}\n{{\n{unused}{body}}}\n'


def server_answer(interface, method):
    outputs, bulk = in_bulk_order(method.some('out')), method.bulk('out')
    body = f'    u64 bulk[{bulk // 8}];\n' if bulk else ''
    body += '    struct ipc_packet packet;\n'
    body += (f'    ipc_packet_init(&packet, {"bulk" if bulk else "NULL"}, '
             f'{"sizeof(bulk)" if bulk else "0"}, 0);\n')
    if outputs:
        body += '    if (status == 0) {\n'
        body += ''.join('    ' + answer_put(parameter, word)
                        for parameter, word in numbered(outputs, 0))
        body += '    }\n'
    body += '    return ipc_answer_packet(call, status, &packet);\n'
    return answer_head(interface, method, '') + '\n{\n' + body + '}\n\n'


def server(interface):
    cases = ''.join(f'    case {number_name(interface, method)}:\n'
                    f'        return dispatch_{method.name}(caller, request, reply);\n'
                    for method in interface.methods)
    answers = ''.join(server_answer(interface, method)
                      for method in interface.methods if method.later)
    return f'''{HEADER.format(path=interface.path)}#include <ipc/{interface.name}.h>

{chr(10).join(server_case(interface, method) for method in interface.methods)}
{answers}s64 {interface.name}_dispatch(struct ipc_caller *caller, struct ipc_packet *request,
{' ' * (len(interface.name) + 14)}struct ipc_packet *reply)
{{
    switch (request->words[0]) {{
{cases}    default:
        return E_NOTSUP;
    }}
}}
'''


# --- names, for readers of traces -----------------------------------------------------------------

def method_names(interfaces):
    rows = ' \\\n'.join(f'    ROW({interface.word(method):#x}, "{interface.name}.{method.name}")'
                        for interface in interfaces for method in interface.methods)
    return f'''// SPDX-License-Identifier: MIT
// Generated from ipc/*.idl by ipc/tools/gen_stubs.py.
#ifndef IPC_METHOD_NAMES_H
#define IPC_METHOD_NAMES_H

// First word of a request, and the method's name.
#define METHOD_NAMES(ROW) \\
{rows}

#endif
'''


# --- documentation --------------------------------------------------------------------------------

def document_parameter(parameter):
    if parameter.variable:
        return f'{parameter.direction} {parameter.kind} {parameter.name}[{parameter.limit}]'
    type_text = 'cap' if parameter.kind == 'cap' else parameter.type
    return f'{parameter.direction} {type_text} {parameter.name}'


def paragraph(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def document(interface):
    lines = [f'## {interface.name}', '', paragraph(interface.comment), '']
    if interface.constants:
        lines += ['| constant | value | |', '|---|---|---|']
        lines += [f'| `{constant.name}` | {constant.text} | {" ".join(constant.comment.split())} |'
                  for constant in interface.constants.values()] + ['']
    for struct in interface.structs.values():
        fields = ', '.join(f'{entry.type} {entry.name}'
                           + (f'[{entry.count}]' if entry.count else '')
                           for entry in struct.fields)
        lines += [paragraph(f'`struct {struct.name}` ({struct.size} bytes): {fields}. '
                            f'{struct.comment}'), '']
    lines += ['| | method | what it does | errors |', '|---|---|---|---|']
    for method in interface.methods:
        parameters = ', '.join(document_parameter(parameter) for parameter in method.parameters)
        lines.append(f'| {method.number} | `{method.name}({parameters})` | '
                     f'{" ".join(method.comment.split())} | {" ".join(method.errors)} |')
    return '\n'.join(lines) + '\n'


def documentation(interfaces):
    return ('# Interfaces of servers\n\nGenerated from `ipc/*.idl`; `ipc/README.md` has the '
            'language and the rules that all calls follow.\n\n'
            + '\n'.join(document(interface) for interface in interfaces))
