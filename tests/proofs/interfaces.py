#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What stands around the code of an interface while it is analysed (model/interface.h).

A server that looks at all that it is given and answers anything, and a client that calls each
method with anything. NAME.h: NAME_server_METHOD of each method, METHODS, and call_METHOD, the
calls.
"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ipc/tools"))
from gen_stubs import write_if_changed  # pylint: disable=wrong-import-position
from idl import load, load_errors  # pylint: disable=wrong-import-position
from stub_output import server_head  # pylint: disable=wrong-import-position

HEADER = ("// SPDX-License-Identifier: MIT\n"
          "// Generated from {path} by tests/proofs/interfaces.py.\n")


def served(parameter):
    """What the server does with a parameter."""
    name = parameter.name
    if parameter.direction == "in":
        checks = {"string": f"    string_is_there({name});\n",
                  "bytes": f"    bytes_are_there({name}, {name}_bytes);\n"}
        return checks.get(parameter.kind, f"    (void){name};\n")
    return {"integer": f"    *{name} = ({parameter.type})any_word();\n",
            "cap": f"    *{name} = (cap_t)any_word();\n",
            "struct": f"    any_bytes({name}, sizeof(*{name}));\n",
            "string": f"    any_bytes({name}, {name}_room);\n",
            "bytes": f"    any_bytes({name}, {name}_room);\n"
                     f"    *{name}_bytes = any_length({name}_room);\n"}[parameter.kind]


def server(interface, method):
    body = "".join(served(parameter) for parameter in method.parameters)
    head = server_head(interface, method, "")
    return f"{head}\n{{\n    (void)caller;\n{body}    return any_status();\n}}\n"


def argument(parameter):
    """(what is declared for it, what is given)"""
    name = parameter.name
    if parameter.direction == "in":
        return {"integer": ("", f"({parameter.type})any_word()"),
                "cap": ("", "1"),
                "struct": (f"    {parameter.type} {name};\n"
                           f"    any_bytes(&{name}, sizeof({name}));\n", f"&{name}"),
                "string": ("", "caller_text"),
                "bytes": ("", "caller_bytes, caller_length")}[parameter.kind]
    return {"integer": (f"    {parameter.type} {name};\n", f"&{name}"),
            "cap": (f"    cap_t {name};\n", f"&{name}"),
            "struct": (f"    {parameter.type} {name};\n", f"&{name}"),
            "string": ("", "(char *)caller_memory, caller_room"),
            "bytes": (f"    u64 {name}_bytes;\n",
                      f"caller_memory, caller_room, &{name}_bytes")}[parameter.kind]


def client(interface, method):
    declared, given = zip(*(argument(parameter)
                            for parameter in method.parameters)) if method.parameters else ((), ())
    call = f"{interface.name}_{method.name}({', '.join(('SERVER',) + given)})"
    return (f"static void call_{method.name}(void)\n{{\n"
            f"{''.join(declared)}    {call};\n    answer_was_taken();\n}}\n")


def limits(method, direction, names):
    """Limit of each string and buffer, or of each of `names`."""
    return [parameter.limit for parameter in method.some(direction, *names)]


def row(interface, method):
    """What the driver has to know: struct proof_method."""
    number = f"{interface.name}_METHOD_{method.name}".upper()
    strings = limits(method, "in", ("string", "bytes"))
    out = limits(method, "out", ("string", "bytes"))
    return (f"    {{call_{method.name}, {number}, {len(strings)}, {max(strings, default=0)}, "
            f"{len(out)}, {max(out, default=0)}, "
            f"{sum(parameter.bulk for parameter in method.some('out', 'struct'))}}},\n")


def text(interface):
    parts = [HEADER.format(path=interface.path)]
    parts += [server(interface, method) for method in interface.methods]
    parts += [client(interface, method) for method in interface.methods]
    parts.append("static const struct proof_method proof_methods[] = {\n"
                 + "".join(row(interface, method) for method in interface.methods) + "};\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("interfaces", nargs="+", type=pathlib.Path, help="the .idl files")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="folder to write NAME.h into")
    arguments = parser.parse_args()
    known = load_errors(ROOT / "include/orrery/errors.h")
    for interface in (load(path, known) for path in arguments.interfaces):
        write_if_changed(arguments.out / f"{interface.name}.h", text(interface))


if __name__ == "__main__":
    main()
