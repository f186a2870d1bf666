# SPDX-License-Identifier: MIT
"""GDB's command `orrery`: what the kernel in a stopped machine knows. scripts/gdb loads it."""

import argparse
import difflib
import os
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
import events
import locks
import objects
import threads
from memory import Damaged, Memory

COUNT = 20  # events that are shown unless told


class Arguments(argparse.ArgumentParser):
    """Errors are GDB's, and help is text as any other."""

    def __init__(self, command):
        super().__init__(prog=f'orrery {command}', add_help=False)

    def error(self, message):
        raise gdb.GdbError(f'{message.capitalize()}. {self.format_usage().strip()}')


class Orrery(gdb.Command):
    """What Orrery's kernel in the stopped machine knows.
Each command only reads, whatever the CPUs are doing."""

    COMMANDS = ('trace', 'threads', 'objects', 'locks')

    def __init__(self):
        super().__init__('orrery', gdb.COMMAND_STATUS, prefix=True)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if not words:
            gdb.execute('help orrery')
            return
        near = difflib.get_close_matches(words[0], self.COMMANDS, 1, 0.5)
        hint = f'did you mean {near[0]}?' if near else f'there is {", ".join(self.COMMANDS)}.'
        raise gdb.GdbError(f'orrery has no command {words[0]}; {hint}')


class Command(gdb.Command):
    """One that reads the machine."""

    def __init__(self):
        super().__init__(f'orrery {self.NAME}', gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        parser = Arguments(self.NAME)
        self.describe(parser)
        arguments = parser.parse_args(gdb.string_to_argv(argument))
        try:
            self.run(Memory(), arguments)
        except Damaged as error:
            raise gdb.GdbError(f'The kernel\'s memory is damaged: {error}') from error

    def describe(self, parser):
        """Adds the arguments."""


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'{text} is no number above 0')
    return int(text)


class Trace(Command):
    """orrery trace [-n N] [CPU]: the last N events of the trace buffers (20), of one or all CPUs.
The columns are those of a panic: time base, CPU, event."""

    NAME = 'trace'

    def describe(self, parser):
        parser.add_argument('-n', type=positive, default=COUNT, metavar='N')
        parser.add_argument('cpu', nargs='?', type=int, metavar='CPU')

    def run(self, memory, arguments):
        events.show(memory, arguments.n, arguments.cpu)


class Threads(Command):
    """orrery threads [ID]: every thread with state, CPU, priority, process and what it waits for.
With an ID also its stack. One that runs names GDB's thread of its CPU, for `thread` and
`backtrace`."""

    NAME = 'threads'

    def describe(self, parser):
        parser.add_argument('id', nargs='?', type=positive, metavar='ID')

    def run(self, memory, arguments):
        threads.show(memory, arguments.id)


class Objects(Command):
    """orrery objects [CLASS]: the kernel's live clustered objects, of one class or implementation
or of all."""

    NAME = 'objects'

    def describe(self, parser):
        parser.add_argument('wanted', nargs='?', metavar='CLASS')

    def run(self, memory, arguments):
        objects.show(memory, arguments.wanted)


class Locks(Command):
    """orrery locks: spin locks that CPUs hold or wait for, mutexes with owners and waiters."""

    NAME = 'locks'

    def run(self, memory, _):
        locks.show(memory, threads.find_threads(memory))


for one in (Orrery, Trace, Threads, Objects, Locks):
    one()
