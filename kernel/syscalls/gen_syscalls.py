#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates all that follows from the table of system calls kernel/syscalls/syscalls.def.

numbers.h        SYS_NAME, for kernel and programs, C and assembly
names.h          SYSCALL_NAMES: number and name of each, for kov
shapes.h         parameters of the calls that write to the caller's memory, for tests
table.c          the kernel's decoding: rights, values, objects, copies in and out, the call
objects.h        functions behind calls that name objects
stubs.S          the user side of sys_name
system-calls.md  the page docs/system-calls.md (with --doc)
"""

import argparse
import pathlib
import sys

from syscall_defs import DefError, load
from syscall_output import document, names_h, numbers_h, objects_h, shapes_h, stubs_s, table_c


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--defs', required=True, type=pathlib.Path, help='the table')
    parser.add_argument('--out', type=pathlib.Path, help='folder to write into')
    parser.add_argument('--doc', type=pathlib.Path, help='page to write')
    parser.add_argument('--check-doc', type=pathlib.Path, help='page that must be up to date')
    arguments = parser.parse_args()
    try:
        groups = load(arguments.defs)
    except DefError as error:
        sys.exit(str(error))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_if_changed(arguments.out / 'numbers.h', numbers_h(groups))
        write_if_changed(arguments.out / 'names.h', names_h(groups))
        write_if_changed(arguments.out / 'objects.h', objects_h(groups))
        write_if_changed(arguments.out / 'shapes.h', shapes_h(groups))
        write_if_changed(arguments.out / 'table.c', table_c(groups))
        write_if_changed(arguments.out / 'stubs.S', stubs_s(groups))
    if arguments.doc:
        write_if_changed(arguments.doc, document(groups))
    page = arguments.check_doc
    if page and (not page.exists() or page.read_text() != document(groups)):
        sys.exit(f'{page}: not what {arguments.defs} says; make docs/system-calls.md')


if __name__ == '__main__':
    main()
