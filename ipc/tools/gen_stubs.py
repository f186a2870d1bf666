#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates all that follows from an interface description ipc/NAME.idl.

NAME.h         types, constants, the client's functions, and those that the server supplies
NAME_client.c  client stubs
NAME_server.c  dispatch: decodes, checks, calls, encodes
method_names.h METHOD_NAMES: the first word of each request and the method's name, for kov

With --docs FILE instead: one page about all the interfaces given.
"""

import argparse
import pathlib
import sys

from idl import IdlError, load, load_errors
from stub_output import client, documentation, header, method_names, server

ERRORS_H = pathlib.Path(__file__).parent / '../../include/orrery/errors.h'


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding='utf-8') != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


def check_words(interfaces):
    words = {}
    for interface in interfaces:
        other = words.setdefault(interface.word(interface.methods[0]), interface)
        if other is not interface:
            raise IdlError(f'{interface.path}: error: interfaces {other.name} and {interface.name} '
                           'have the same number; rename one')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('interfaces', nargs='+', type=pathlib.Path, help='the .idl files')
    parser.add_argument('--out', type=pathlib.Path, help='folder to write NAME.h and NAME_*.c into')
    parser.add_argument('--docs', type=pathlib.Path, help='page to write')
    arguments = parser.parse_args()
    try:
        known = load_errors(ERRORS_H)
        interfaces = [load(path, known) for path in arguments.interfaces]
        check_words(interfaces)
    except IdlError as error:
        sys.exit(str(error))
    if arguments.out:
        for interface in interfaces:
            for suffix, text in (('.h', header), ('_client.c', client), ('_server.c', server)):
                write_if_changed(arguments.out / f'{interface.name}{suffix}', text(interface))
        write_if_changed(arguments.out / 'method_names.h', method_names(interfaces))
    if arguments.docs:
        write_if_changed(arguments.docs, documentation(interfaces))


if __name__ == '__main__':
    main()
