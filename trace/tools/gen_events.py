#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates all that follows from the event descriptions trace/events/*.def.

events.h       the typed emit functions trace_<event>(), one patched point each
event_table.c  the table of events for listings, and the CTF 1.8 metadata text

With --program, what follows from the events that a program describes itself, NAME.def:

NAME.h         its emit functions trace_<provider>_<event>()
NAME.c         its descriptions, and the call that gives them to the kernel
"""

import argparse
import pathlib
import sys

from event_defs import DefError, load
from event_output import event_table_c, events_h
from program_defs import load_program
from program_output import program_c, program_h


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_kernel(arguments):
    majors, events = load(arguments.defs)
    write_if_changed(arguments.out / 'events.h', events_h(majors, events))
    write_if_changed(arguments.out / 'event_table.c', event_table_c(majors, events))


def write_program(arguments):
    majors, events = load(arguments.defs)
    provider, own = load_program(arguments.program, majors, {event.name for event in events})
    header = arguments.program.with_suffix('.h').name
    write_if_changed(arguments.out / header, program_h(arguments.program, provider, own))
    write_if_changed(arguments.out / arguments.program.with_suffix('.c').name,
                     program_c(arguments.program, header, provider, own))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--defs', required=True, type=pathlib.Path, help='folder of the .def files')
    parser.add_argument('--program', type=pathlib.Path, help='the .def file of a program')
    parser.add_argument('--out', required=True, type=pathlib.Path, help='folder to write into')
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        if arguments.program:
            write_program(arguments)
        else:
            write_kernel(arguments)
    except DefError as error:
        sys.exit(str(error))


if __name__ == '__main__':
    main()
