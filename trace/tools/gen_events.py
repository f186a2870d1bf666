#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates all that follows from the event descriptions trace/events/*.def.

events.h       the typed emit functions trace_<event>(), one patched point each
event_table.c  the table of events for listings, and the CTF 1.8 metadata text
"""

import argparse
import pathlib
import sys

from event_defs import DefError, load
from event_output import event_table_c, events_h


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--defs', required=True, type=pathlib.Path, help='folder of the .def files')
    parser.add_argument('--out', required=True, type=pathlib.Path, help='folder to write into')
    arguments = parser.parse_args()
    try:
        majors, events = load(arguments.defs)
    except DefError as error:
        sys.exit(str(error))
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_if_changed(arguments.out / 'events.h', events_h(majors, events))
    write_if_changed(arguments.out / 'event_table.c', event_table_c(majors, events))


if __name__ == '__main__':
    main()
