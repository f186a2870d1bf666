# SPDX-License-Identifier: MIT
"""`orrery locks`: who has and who waits for spin locks and mutexes.

Each CPU chains the spin locks that it holds, each thread its mutexes. Beyond these, the image's
static locks are looked at. Nobody keeps a list of who waits for a spin lock: a CPU that does is in
spin_wait.
"""

import re

import gdb

from cpus import find_cpus, frames_of
from memory import Damaged, symbol

MOST = 64  # locks in a chain: more than there are ranks
WAITERS = 8192


def chain(memory, kind, first, most=MOST):
    """The locks of a chain, from the one that was taken last."""
    seen = set()
    while first != 0:
        if first in seen or len(seen) == most:
            raise Damaged(f'the chain of locks has no end at {first:#x}')
        seen.add(first)
        lock = memory.struct(kind, first)
        yield lock
        first = lock['outer']


def static_locks(memory, kind):
    """Variables of the image that are locks: names with files, and the lock."""
    text = gdb.execute(f'info variables -q -t {kind}', to_string=True)
    file = None
    for line in text.splitlines():
        if line.startswith('File '):
            file = line[5:].rstrip(':')
        found = re.match(rf'\d+:\s(?:static )?struct {kind} (\w+);', line)
        if found:
            yield f'{file}: {found[1]}', memory.struct(f'struct {kind}', symbol(found[1], file))


# ---- spin locks --------------------------------------------------------------------------------

def describe_spin(memory, lock):
    name = memory.text(lock['name']) if lock['name'] else 'without a name'
    return f'{lock.address:#x} {name}, rank {lock["rank"]}'


def show_held(memory, cpu):
    """Returns the addresses of what the CPU's chain has."""
    held = set()
    for lock in chain(memory, 'struct spinlock', cpu.block['innermost_lock']):
        held.add(lock.address)
        owner = lock['word']
        note = '' if owner == cpu.number + 1 else f': damaged, its owner is {owner} - 1'
        gdb.write(f'  CPU {cpu.number} holds {describe_spin(memory, lock)}{note}\n')
    return held


def awaited(cpu):
    """The spin lock that a CPU waits for, or None."""
    thread = cpu.gdb_thread()
    for frame in frames_of(thread) if thread is not None else []:
        if frame.name() == 'spin_wait':
            try:
                return int(frame.read_var('lock'))
            except (gdb.error, ValueError):
                return -1
    return None


def show_awaited(memory, cpu):
    address = awaited(cpu)
    if address is None:
        return
    if address == -1:
        gdb.write(f'  CPU {cpu.number} waits for a spin lock that GDB cannot tell\n')
        return
    lock = memory.struct('struct spinlock', address)
    owner = f'CPU {lock["word"] - 1} has it' if lock['word'] else 'it has just become free'
    gdb.write(f'  CPU {cpu.number} waits for {describe_spin(memory, lock)}: {owner}\n')


def show_spin_locks(memory):
    gdb.write('spin locks:\n')
    held = set()
    for cpu in find_cpus(memory):
        try:
            held |= show_held(memory, cpu)
            show_awaited(memory, cpu)
        except Damaged as error:
            gdb.write(f'  CPU {cpu.number}: damaged: {error}\n')
    for _, lock in static_locks(memory, 'spinlock'):
        if lock['word'] != 0 and lock.address not in held:
            gdb.write(f'  CPU {lock["word"] - 1} takes or releases {describe_spin(memory, lock)}\n')


# ---- mutexes -----------------------------------------------------------------------------------

def waiters_of(memory, mutex):
    """Addresses of the threads that wait, in their order."""
    at, seen = mutex['waiters.first'], set()
    while at != 0:
        if at in seen or len(seen) == WAITERS:
            raise Damaged(f'the queue of the mutex at {mutex.address:#x} has no end')
        seen.add(at)
        waiter = memory.struct('struct waiter', at)
        yield waiter['thread']
        at = waiter['next']


def find_mutexes(memory, all_threads):
    """By address: those that threads have, and the image's static ones."""
    found = {mutex.address: mutex for _, mutex in static_locks(memory, 'mutex')}
    for thread in all_threads:
        try:
            for mutex in chain(memory, 'struct mutex', thread.struct['innermost_mutex']):
                found[mutex.address] = mutex
        except Damaged as error:
            gdb.write(f'Mutexes of thread {thread.id}: damaged: {error}\n')
    return found


def mutex_name(memory, mutex):
    return memory.text(mutex['lock.name']) if mutex['lock.name'] else 'without a name'


def mutex_waiters(memory, all_threads):
    """Name of the mutex that a thread waits for, by the thread's address."""
    waits = {}
    for mutex in find_mutexes(memory, all_threads).values():
        try:
            for thread in waiters_of(memory, mutex):
                waits[thread] = mutex_name(memory, mutex)
        except Damaged as error:
            gdb.write(f'{error}\n')
    return waits


def show_mutexes(memory, all_threads):
    gdb.write('mutexes:\n')
    known = {thread.address: thread for thread in all_threads}

    def name(address):
        thread = known.get(address)
        return f'thread {thread.id} {thread.name}' if thread else f'no thread ({address:#x})'

    for mutex in find_mutexes(memory, known.values()).values():
        try:
            if mutex['owner'] == 0:
                continue
            gdb.write(f'  {name(mutex["owner"])} has {mutex.address:#x}'
                      f' {mutex_name(memory, mutex)}, rank {mutex["rank"]}\n')
            for waiter in waiters_of(memory, mutex):
                gdb.write(f'    {name(waiter)} waits\n')
        except Damaged as error:
            gdb.write(f'  damaged: {error}\n')


def show(memory, all_threads):
    show_spin_locks(memory)
    show_mutexes(memory, all_threads)
