# SPDX-License-Identifier: MIT
"""The machine's CPUs: the kernel's block of each, and GDB's thread for it."""

import gdb

from memory import Damaged, offset_of, symbol


class Cpu:
    def __init__(self, memory, number, address):
        self.number = number
        self.block = memory.struct('struct percpu', address)
        self.trace_address = address + offset_of('struct percpu', 'trace')
        if self.block['cpu'] != number:
            raise Damaged(f'the block of CPU {number} names CPU {self.block["cpu"]}')

    def gdb_thread(self):
        """GDB numbers the CPUs by QEMU's order; None: it does not know this one."""
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] - 1 == self.block['server']:
                return thread
        return None


def find_cpus(memory, only=None):
    """Those that have come up so far; only: a number, all without."""
    descriptor = memory.struct('struct trace_descriptor', symbol('trace_descriptor'))
    if descriptor['self'] == 0:
        raise gdb.GdbError('The kernel has set up nothing yet: let it boot first.')
    base = descriptor['linear_base'] - offset_of('struct percpu', 'trace')
    places = descriptor.array('cpus')
    up = [number for number, place in enumerate(places) if place != 0]
    if only is not None and only not in up:
        raise gdb.GdbError(f'There is no CPU {only}; there is {", ".join(map(str, up))}.')
    return [Cpu(memory, number, base + places[number]) for number in up if only in (None, number)]


def function_at(pc):
    """The name of the kernel's function at an address."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    if block is not None:
        return block.function.name
    text = gdb.execute(f'info symbol {pc:#x}', to_string=True)
    return text.split()[0].lstrip('.') if ' in section ' in text else f'{pc:#x}'


def frames_of(thread, most=32):
    """GDB's frames of a CPU, innermost first, as far as it can unwind; valid while this goes on."""
    before = gdb.selected_thread()
    try:
        thread.switch()
        frame = gdb.newest_frame()
        for _ in range(most):
            if frame is None:
                return
            yield frame
            frame = frame.older()
    except gdb.error:
        return
    finally:
        before.switch()
