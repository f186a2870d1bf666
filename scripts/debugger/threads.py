# SPDX-License-Identifier: MIT
"""`orrery threads`: every thread, what it waits for, and its stack."""

import gdb

import locks
from cpus import find_cpus, frames_of, function_at
from memory import Damaged, array_length, enum_name, symbol

CALLERS = 32
PENDING, STATE_MASK = 1, 3  # of the word of a call (kernel/ipc/call_layout.h)
IN_CALL = 3                 # DISPATCHER_CALLS (kernel/proc/dispatcher_layout.h)
# What every waiting thread is in: its reason is the caller.
MACHINERY = {'thread_switch', 'reschedule', 'schedule', 'run_queue_schedule', 'thread_park',
             'thread_park_masked', 'wait_queue_sleep', 'scheduler_hand_over', 'hand_over',
             'scheduler_schedule', 'switch_to', 'park'}


class Thread:
    """One thread; Damaged when it is none."""

    def __init__(self, memory, slot, slots, address):
        self.memory, self.address = memory, address
        self.struct = memory.struct('struct thread', address)
        if (self.struct['id'] - 1) % slots != slot:
            raise Damaged(f'its id is {self.struct["id"]}')
        self.id, self.cpu = self.struct['id'], self.struct['cpu']
        self.name = self.struct.text('name')
        self.state = enum_name('thread_state', self.struct['state'])
        self.priority = enum_name('thread_priority', self.struct['priority'])
        self.dispatcher = None
        if self.struct['dispatcher'] != 0:
            self.dispatcher = memory.struct('struct dispatcher', self.struct['dispatcher'])

    @property
    def pid(self):
        return self.dispatcher['pid'] if self.dispatcher else 0

    def sleeps_in_user_code(self):
        """Its kernel stack is empty: it goes on by its user frame."""
        return self.dispatcher is not None and self.dispatcher['waiting'] != 0

    def stack(self):
        """Functions of one that does not run, innermost first: each caller's frame holds its LR."""
        functions = []
        at = self.struct['stack_pointer']
        while at != 0 and len(functions) < CALLERS:
            above = self.memory.word(at)
            if above == 0:
                break
            if above <= at or above % 8 != 0:
                raise Damaged(f'the frame at {at:#x} is followed by {above:#x}')
            pc = self.memory.word(above + 16)
            if pc == 0:
                break
            functions.append(function_at(pc - 4))
            at = above
        return functions

    def reason(self, waits):
        """What a parked one waits for; waits: of mutexes, by thread."""
        if self.state != 'parked':
            return {'ready': 'its turn'}.get(self.state, '')
        if self.address in waits:
            return f'mutex {waits[self.address]}'
        deadline = self.struct['timer.deadline']
        until = f', at most until {deadline}' if deadline not in (0, (1 << 64) - 1) else ''
        if self.sleeps_in_user_code():
            return self.reason_of_user() + until
        callers = [one for one in self.stack() if one not in MACHINERY]
        return f'in {callers[0]}{until}' if callers else ''

    def reason_of_user(self):
        dispatcher = self.dispatcher
        if dispatcher['waiting'] != IN_CALL:
            calls = dispatcher['ipc.outstanding']
            return f'events, {calls} calls without an answer' if calls else 'events'
        record = self.memory.struct('struct call_record', dispatcher['ipc.own'])
        if record['word'] & STATE_MASK != PENDING or record['server'] == 0:
            return 'an answer'
        server = self.memory.struct('struct dispatcher', record['server'])
        return f'an answer of process {server["pid"]}'


def find_threads(memory):
    """All that can be believed; tells of the others."""
    count = array_length('slots', 'thread_table.c')
    slots = memory.words(symbol('slots', 'thread_table.c'), count)
    for slot, address in enumerate(slots):
        if address == 0:
            continue
        try:
            yield Thread(memory, slot, count, address)
        except Damaged as error:
            gdb.write(f'Slot {slot} of the thread table: no thread at {address:#x}: {error}\n')


def process_name(memory, thread):
    if thread.dispatcher is None:
        return 'kernel'
    process = memory.struct('struct process', thread.dispatcher['process'])
    return f'{process["pid"]} {process.text("name")}'


def running(memory):
    """CPUs by the address of the thread that runs there."""
    return {cpu.block['current']: cpu for cpu in find_cpus(memory)}


def show_row(memory, thread, cpus, waits):
    try:
        reason = thread.reason(waits)
        process = process_name(memory, thread)
    except Damaged as error:
        reason, process = f'damaged: {error}', '?'
    cpu = cpus.get(thread.address)
    if cpu is not None:
        known = cpu.gdb_thread()
        reason = f'GDB thread {known.num}' if known else 'no thread of GDB'
    elif thread.state == 'running':
        reason = f'damaged: CPU {thread.cpu} runs another'
    gdb.write(f'{thread.id:6} {thread.state:8} {thread.cpu:3} {thread.priority:8} {process:20}'
              f' {thread.name:24} {reason}\n')


def show_stack(thread, cpu):
    if cpu is None and thread.sleeps_in_user_code():
        gdb.write('  sleeps in a system call of its user code\n')
        return
    if cpu is None:
        for number, function in enumerate(thread.stack()):
            gdb.write(f'#{number:<3} {function}\n')
        return
    known = cpu.gdb_thread()
    if known is None or not any(frames_of(known)):
        gdb.write('  GDB cannot read its registers\n')
        return
    gdb.execute(f'thread apply {known.num} backtrace {CALLERS}')


def show(memory, number):
    cpus, waits = running(memory), locks.mutex_waiters(memory, find_threads(memory))
    threads = list(find_threads(memory)) if number is None else \
        [one for one in find_threads(memory) if one.id == number]
    if not threads:
        raise gdb.GdbError(f'There is no thread {number}; `orrery threads` lists them.')
    gdb.write(f'{"id":>6} {"state":8} CPU {"priority":8} {"process":20} {"name":24} waits for\n')
    for thread in threads:
        show_row(memory, thread, cpus, waits)
    if number is not None:
        show_stack(threads[0], cpus.get(threads[0].address))
