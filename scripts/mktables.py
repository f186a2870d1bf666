#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Builds the symbol table and unwind map of a kernel or program, from its linked ELF file.

The unwind map has one byte for each instruction of [text_start, text_end): what holds just before
it executes (kernel/include/kernel/unwind.h). It comes from a data-flow analysis of the machine
code, so it is exact in prologues and epilogues and covers assembly functions too; the compiler's
own unwind information is not read and serves as an independent witness in the tests.
"""

import argparse
import bisect
import collections
import itertools
import struct
import sys

FRAME, LR_SAVED, KNOWN = 1, 2, 4
SELF_SHIFT, SELF_HOMED, SELF_IDLE, SELF_LOW_LR = 3, 1, 2, 13
SELF_HOME, LR_HOME, LOW_LR_HOME = 48, 16, -400
# Jumps that the machine code does not show: faults, and instructions patched to branches.
JUMP_TABLES = (("fixups", 2), ("dref_sites", 2), ("trace_points", 3),
               ("points", 4), ("memory_points", 2))
IDLE_FUNCTION = "thread_idle_loop"

PADDING = (0x60000000, 0x60420000)  # nop, ori 2,2,0
STT_NOTYPE, STT_FUNC = 0, 2
SHT_SYMTAB, SHT_NOBITS = 2, 8


class TablesError(Exception):
    """Something in the image that the tables cannot describe."""


# ---- ELF ---------------------------------------------------------------------------------------

Section = collections.namedtuple("Section", "name type address offset size link")
Symbol = collections.namedtuple("Symbol", "name type section value size")


class Elf:
    """A linked 64-bit big-endian ELF file: sections, symbols and memory contents."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x02":
            raise TablesError(f"{path}: not a 64-bit big-endian ELF file")
        self.sections = self._read_sections()
        self.symbols = self._read_symbols()
        self.by_name = {symbol.name: symbol for symbol in self.symbols}

    def _string(self, offset):
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def _read_sections(self):
        table, = struct.unpack_from(">Q", self.data, 0x28)
        entry_size, count, names = struct.unpack_from(">HHH", self.data, 0x3A)
        raw = [struct.unpack_from(">IIQQQQII", self.data, table + i * entry_size)
               for i in range(count)]
        return [Section(self._string(raw[names][4] + r[0]), r[1], r[3], r[4], r[5], r[6])
                for r in raw]

    def _read_symbols(self):
        symbols = []
        for section in self.sections:
            if section.type != SHT_SYMTAB:
                continue
            strings = self.sections[section.link].offset
            table = self.data[section.offset : section.offset + section.size]
            for name, info, _, index, value, size in struct.iter_unpack(">IBBHQQ", table):
                if name and index:
                    symbols.append(Symbol(self._string(strings + name), info & 15, index, value,
                                          size))
        return symbols

    def section_of(self, address):
        for section in self.sections:
            if section.address and section.address <= address < section.address + section.size:
                return section
        return None

    def words(self, start, end, code):
        """Contents of [start, end), which may span sections; gaps are zero."""
        memory = bytearray(end - start)
        for section in self.sections:
            low, high = max(start, section.address), min(end, section.address + section.size)
            if section.address and section.type != SHT_NOBITS and low < high:
                offset = section.offset + low - section.address
                memory[low - start : high - start] = self.data[offset : offset + high - low]
        return struct.unpack(f">{len(memory) // struct.calcsize(code)}{code}", memory)

    def jumps(self, name, stride):
        """From and to address of jumps listed between the symbols NAME_start and NAME_end, if the
        ELF has them, in records of stride words that begin with the two."""
        return [record[:2] for record in self.table(name, stride) if record[1] != 0]

    def table(self, name, stride):
        """The records of stride words between the symbols NAME_start and NAME_end, if any."""
        start, end = self.by_name.get(name + "_start"), self.by_name.get(name + "_end")
        words = self.words(start.value, end.value, "Q") if start and end else ()
        return list(zip(*[iter(words)] * stride))

    def handler_jumps(self):
        """The same of fast paths' points (kernel/points.h): from such a point to each handler of
        its event, and from each handler's exit to those behind it."""
        handlers = [(event, entry, leaves) for event, _, _, entry, leaves
                    in self.table("handlers", 5)]
        for place, label, event, _ in self.table("points", 4):
            for of, entry, _ in handlers:
                if label == 0 and of == event and entry != 0:
                    yield place, entry
        for at, (event, _, leaves) in enumerate(handlers):
            for of, entry, _ in handlers[at + 1:]:
                if leaves != 0 and of == event and entry != 0:
                    yield leaves, entry


# ---- functions ---------------------------------------------------------------------------------

Function = collections.namedtuple("Function", "start end name typed")


def code_symbols(elf, start, end):
    """Symbols of code: {address: [(size, name, typed)…]}. An ELFv1 function symbol names its
    descriptor in .opd, whose first word is the address of the code."""
    opd = next((i for i, section in enumerate(elf.sections) if section.name == ".opd"), None)
    found = collections.defaultdict(list)
    for symbol in elf.symbols:
        address = symbol.value
        if symbol.section == opd and symbol.type in (STT_FUNC, STT_NOTYPE):
            address, = elf.words(address, address + 8, "Q")
        elif symbol.type not in (STT_FUNC, STT_NOTYPE):
            continue
        if start <= address < end:
            found[address].append((symbol.size, symbol.name.lstrip("."), symbol.type == STT_FUNC))
    return found


def find_functions(elf, start, end):
    """Functions in order of address. A symbol without a size reaches to the next one; one inside of
    a sized function is left out."""
    found = code_symbols(elf, start, end)
    addresses = sorted(found)
    functions = []
    for i, address in enumerate(addresses):
        limit = addresses[i + 1] if i + 1 < len(addresses) else end
        # The same function often has several names: typed ones first, then the plainest.
        size, name, _ = min(found[address], key=lambda s: (not s[2], s[1].count("_start"), s[1]))
        typed = any(s[2] for s in found[address])
        size = max((s[0] for s in found[address]), default=0) or size
        if functions and address < functions[-1].end and functions[-1].typed:
            continue
        functions.append(Function(address, address + size if size else limit, name, typed))
    return functions


# ---- instructions ------------------------------------------------------------------------------

def signed(value, bits):
    return value - (1 << bits) if value & 1 << (bits - 1) else value


# Extended opcodes of primary opcode 31 whose result is in RA, or that have no result in a general
# register; all others have theirs in RT.
RA_RESULT = frozenset({
    24, 26, 27, 28, 51, 58, 60, 115, 122, 124, 154, 186, 252, 282, 284, 307, 314, 316, 378, 412,
    444,
    476, 506, 508, 536, 538, 539, 570, 792, 794, 824, 826, 827, 890, 891, 922, 954, 986})
NO_RESULT = frozenset({
    0, 4, 22, 30, 32, 54, 68, 86, 134, 135, 144, 146, 149, 150, 151, 167, 178, 182, 192, 199, 210,
    214,
    215, 224, 231, 242, 246, 274, 278, 306, 402, 407, 434, 467, 487, 498, 535, 566, 576, 598, 599,
    660, 661, 662, 663, 694, 710, 725, 726, 727, 742, 854, 918, 982, 983, 1014})
LOAD_UPDATE = frozenset({53, 55, 119, 311, 373, 375})
STORE_UPDATE = frozenset({181, 183, 247, 439, 567, 631, 695, 759})  # and floating-point loads
VOLATILE = 0x1FF9  # r0, r3…r12


def destinations(word):
    """General registers that an instruction changes, as a bit mask."""
    op, rt, ra = word >> 26, 1 << (word >> 21 & 31), 1 << (word >> 16 & 31)
    if word in PADDING:  # also in the middle of code: what the linker found to be superfluous
        return 0
    if op in (4, 7, 8, 12, 13, 14, 15, 32, 34, 40, 42):
        return rt
    if op in (33, 35, 41, 43):
        return rt | ra
    if op in (20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 37, 39, 45, 49, 51, 53, 55):
        return ra
    if op == 46:  # lmw
        return -rt & 0xFFFFFFFF
    if op == 58:
        return rt | (ra if word & 3 == 1 else 0)
    if op == 62:
        return ra if word & 3 == 1 else 0
    if op == 31:
        xo = word >> 1 & 0x3FF
        if xo in RA_RESULT or xo in STORE_UPDATE:
            return ra
        if xo in NO_RESULT:
            return 0
        return rt | (ra if xo in LOAD_UPDATE else 0)
    if op == 17 or op in (16, 18, 19) and word & 1:
        return VOLATILE  # a call
    return 0


# ---- states ------------------------------------------------------------------------------------

# frame: bytes of the pushed frame, 0 none, -1 pushed but of unknown size. lr_home: offset from the
# CFA where the return address is, 0 while in the link register. lr: registers that hold it. base:
# registers that hold the value of r1 right after the push (a frame pointer). selfs: registers that
# hold the object. homed: it is at CFA+48.
State = collections.namedtuple("State", "frame lr_home lr base selfs homed")
ENTRY = State(0, 0, 0, 0, 0, False)
METHOD_ENTRY = ENTRY._replace(selfs=1 << 3)
UNKNOWN = None


def meet(a, b):
    """What is known at a place that two paths reach."""
    if a is UNKNOWN or b is UNKNOWN or (a.frame == 0) != (b.frame == 0):
        return UNKNOWN
    return State(a.frame if a.frame == b.frame else -1,
                 a.lr_home if a.lr_home == b.lr_home else 0,
                 a.lr & b.lr, a.base & b.base, a.selfs & b.selfs, a.homed and b.homed)


def state_byte(state):
    if state is UNKNOWN:
        return 0
    byte = KNOWN | (FRAME if state.frame else 0) | (LR_SAVED if state.lr_home == LR_HOME else 0)
    if state.lr_home == LOW_LR_HOME:
        return byte | SELF_LOW_LR << SELF_SHIFT
    if state.homed:
        return byte | SELF_HOMED << SELF_SHIFT
    if state.selfs:
        lowest = (state.selfs & -state.selfs).bit_length() - 1
        return byte | lowest << SELF_SHIFT
    return byte


def home_offset(state, ra, displacement):
    """Offset from the CFA of a store's target, or None when it is not in a frame of known size."""
    if ra == 1 and state.frame == 0:
        return displacement
    if state.frame > 0 and (ra == 1 or state.base >> ra & 1):
        return displacement - state.frame
    return None


def after_store(state, word):
    """std: may save the return address, or home the object."""
    rs, ra = word >> 21 & 31, word >> 16 & 31
    offset = home_offset(state, ra, signed(word & 0xFFFC, 16))
    if offset in (LR_HOME, LOW_LR_HOME):
        if state.lr >> rs & 1:
            return state._replace(lr_home=offset)
        return state._replace(lr_home=0) if state.lr_home == offset else state
    if offset == SELF_HOME:
        return state._replace(homed=bool(state.selfs >> rs & 1))
    return state


def push(state, rs, size):
    if state.frame == 0:
        return state._replace(frame=size, base=1 << 1) if rs == 1 else UNKNOWN
    return state._replace(frame=-1, base=state.base & ~2) if state.base == 2 else \
        state._replace(base=state.base & ~2)  # more room for alloca: a frame pointer holds the base


def after_stack_pointer_change(state, word):
    """Any instruction that sets r1."""
    op, ra = word >> 26, word >> 16 & 31
    if op == 62:  # stdu
        return push(state, word >> 21 & 31, -signed(word & 0xFFFC, 16))
    if op == 31 and word >> 1 & 0x3FF == 181:  # stdux
        return push(state, word >> 21 & 31, -1)
    # Below the popped frame memory is anyone's; the return address is in the link register again.
    popped = state._replace(frame=0, base=0, lr_home=max(state.lr_home, 0))
    if op == 14 and state.frame != 0:  # addi
        offset = signed(word & 0xFFFF, 16)
        if (ra == 1 or state.base >> ra & 1) and offset == state.frame:
            return popped
        return state._replace(base=2) if state.base >> ra & 1 and offset == 0 else UNKNOWN
    if op == 58 and ra == 1 and word & 0xFFFF == 0:  # ld r1,0(r1)
        return popped if state.frame != 0 else UNKNOWN
    if op in (31, 58):
        # mr or ld from elsewhere: a switch of stacks. The other stack holds a frame like this one.
        return state if state.frame != 0 else UNKNOWN
    return UNKNOWN


def after(state, word):
    """The state after an instruction, given the one before it."""
    op = word >> 26
    if op == 62 and word & 3 == 0:
        return after_store(state, word)
    changed = destinations(word)
    if changed & 2:
        return after_stack_pointer_change(state, word)
    tracked = state.lr | state.base | state.selfs
    if op == 31:
        xo, rs, ra, rb = word >> 1 & 0x3FF, word >> 21 & 31, word >> 16 & 31, word >> 11 & 31
        if xo == 339 and word >> 11 & 0x3FF == 0x100:  # mflr, while lr is still the caller's
            return state._replace(lr=state.lr | changed) if state.lr_home == 0 else state
        if xo == 444 and rs == rb and tracked >> rs & 1:  # mr
            return State(state.frame, state.lr_home, *(
                regs | changed if regs >> rs & 1 else regs & ~changed
                for regs in (state.lr, state.base, state.selfs)), state.homed)
    if changed & tracked:
        return state._replace(lr=state.lr & ~changed, base=state.base & ~changed,
                              selfs=state.selfs & ~changed)
    return state


# ---- data flow ---------------------------------------------------------------------------------

class Analysis:
    """States before every instruction of the text."""

    def __init__(self, elf):
        self.elf = elf
        self.start = elf.by_name["text_start"].value
        self.end = elf.by_name["text_end"].value
        self.code = elf.words(self.start, self.end, "I")
        self.functions = find_functions(elf, self.start, self.end)
        self.states = [False] * len(self.code)  # False: not reached
        self.jumps = collections.defaultdict(list)  # of instruction index: asm goto targets
        tables = [elf.jumps(table, stride) for table, stride in JUMP_TABLES]
        for source, target in itertools.chain(elf.handler_jumps(), *tables):
            if self.start <= target < self.end and self.start <= source < self.end:
                self.jumps[self.index(source)].append(self.index(target))
        methods = [elf.by_name.get(name) for name in ("co_text_start", "co_text_end")]
        self.methods = range(*(m.value for m in methods)) if all(methods) else range(0)
        self.entries = {self.index(f.start) for f in self.functions
                        if f.typed and not self.is_part(f)}
        self.conflicts = set()

    def index(self, address):
        return (address - self.start) // 4

    @staticmethod
    def is_part(function):
        """The compiler moved a rarely executed part of a function out of it."""
        return ".cold" in function.name

    def run(self):
        for function in self.functions:
            if function.typed and not self.is_part(function):
                method = function.start in self.methods
                self.propagate(self.index(function.start), METHOD_ENTRY if method else ENTRY)
        for function in self.functions:
            if not function.typed:
                self.propagate(self.index(function.start), ENTRY, only_new=True)
        for function in self.functions:
            self.fill_unreached(function)
        return self

    def propagate(self, index, state, only_new=False):
        """Follows every path from an instruction whose state before it is given; only_new: as far
        as instructions not reached before."""
        work = [(index, state)]
        states, code = self.states, self.code
        while work:
            index, state = work.pop()
            while 0 <= index < len(code):
                word, known = code[index], states[index]
                if known is not False:
                    if only_new:
                        break
                    merged = meet(known, state)
                    if merged is UNKNOWN and known is not UNKNOWN:
                        self.conflicts.add(index)
                    if merged == known:
                        break
                    state = merged
                if word >> 26 == 0:
                    break  # data: a traceback table or an unpatched hole
                states[index] = state
                for target in self.jumps.get(index, ()):
                    work.append((target, state))
                state = self.step(index, word, state, work)
                index += 1
                if state is False or index in self.entries:
                    break

    def step(self, index, word, state, work):
        """State for the next instruction, or False when it cannot follow; branches go to work."""
        op = word >> 26
        following = state if state is UNKNOWN else after(state, word)
        if op == 18:
            if word & 1:
                return following
            self.branch(index, signed(word & 0x3FFFFFC, 26), state, work)
            return False
        if op == 16 and not word & 1:
            self.branch(index, signed(word & 0xFFFC, 16), state, work)
            return False if word >> 21 & 0x14 == 0x14 else following
        if op == 19:
            return self.step_to_register(index, word, state, following, work)
        return following

    def branch(self, index, displacement, state, work):
        """A branch to a function's entry is a tail call: that entry's own state says all."""
        target = index + displacement // 4
        if 0 <= target < len(self.code) and target not in self.entries:
            work.append((target, state))

    def step_to_register(self, index, word, state, following, work):
        xo, always = word >> 1 & 0x3FF, word >> 21 & 0x14 == 0x14
        if xo in (18, 274, 82):  # rfid, hrfid, rfscv
            return False
        if xo == 528 and not word & 1 and always:  # bctr
            for target in self.jump_table(index):
                work.append((target, state))
            return False
        if xo == 16 and not word & 1 and always:  # blr
            return False
        return following

    def function_at(self, index):
        address = self.start + 4 * index
        i = bisect.bisect_right(self.functions, address, key=lambda f: f.start) - 1
        return self.functions[i] if i >= 0 and address < self.functions[i].end else None

    def jump_table(self, index):
        """gcc puts a switch's table right behind its bctr: offsets from the table's start."""
        function = self.function_at(index)
        table = index + 1
        end = self.index(function.end) if function else table
        targets = set()
        for i in range(table, min(end, len(self.code))):
            offset = signed(self.code[i], 32)
            target = table + offset // 4
            if i in targets or offset & 3 or not self.index(function.start) <= target < end:
                break
            targets.add(target)
        return sorted(targets)

    def fill_unreached(self, function):
        """Code that no visible path reaches (an indirect jump elsewhere, a path opened by patching)
        is taken to be in its function's body, which is where the frame is pushed."""
        low, high = self.index(function.start), self.index(min(function.end, self.end))
        reached = [state for state in self.states[low:high] if state]
        if len(reached) == high - low or not reached:
            return
        body = collections.Counter(s for s in reached if s.frame) or collections.Counter(reached)
        body, _ = body.most_common(1)[0]
        for index in range(low, high):
            word = self.code[index]
            if self.states[index] is not False or word in PADDING:
                continue
            if word >> 26 != 0:
                self.propagate(index, body, only_new=True)
            elif not any(self.states[index:high]):
                break  # the traceback table that ends the function

    def unwind_map(self):
        idle = next((f for f in self.functions if f.name == IDLE_FUNCTION), None)
        result = bytearray(0 if s is False else state_byte(s) for s in self.states)
        if idle:
            for index in range(self.index(idle.start), self.index(idle.end)):
                if result[index]:
                    result[index] = result[index] & 7 | SELF_IDLE << SELF_SHIFT
        return bytes(result)

    def check_methods(self):
        """Every method must home its object, or samples in what it calls are lost."""
        for function in self.functions:
            if function.typed and function.start in self.methods:
                low, high = self.index(function.start), self.index(function.end)
                if not any(s and s.homed for s in self.states[low:high]):
                    raise TablesError(f"{function.name}: a CO_METHOD whose first statement is not "
                                      "CO_HOME(self)")


# ---- output ------------------------------------------------------------------------------------

HEAD = """// SPDX-License-Identifier: MIT
// Generated by scripts/mktables.py: symbol table and unwind map of the image.
    .section .orrery_tables, "a"
"""


def label(name, alignment=8):
    return f"    .balign {alignment}\n    .globl {name}\n{name}:\n"


def quads(data):
    padded = data + bytes(-len(data) % 8)
    values = [f"{value:#x}" for value, in struct.iter_unpack(">Q", padded)]
    return "".join(f"    .quad {','.join(values[i:i + 8])}\n" for i in range(0, len(values), 8))


def assembly(functions, start, unwind_map):
    """symbol_table: {u32 offset from text_start, u32 bytes, u32 offset of the name}, by address."""
    names, entries = bytearray(), bytearray()
    for function in functions:
        entries += struct.pack(">III", function.start - start, function.end - function.start,
                               len(names))
        names += function.name.encode() + b"\0"
    return (HEAD + label("symbol_count") + f"    .quad {len(functions)}\n"
            + label("unwind_map_size") + f"    .quad {len(unwind_map)}\n"
            + label("symbol_table") + quads(bytes(entries))
            + label("symbol_names") + quads(bytes(names))
            + label("unwind_map") + quads(unwind_map))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--elf", help="linked kernel or program")
    source.add_argument("--empty", action="store_true", help="tables without contents")
    parser.add_argument("--out", required=True, help="assembly to write")
    parser.add_argument("--verbose", action="store_true", help="say what could not be told")
    options = parser.parse_args(arguments)
    try:
        text = assembly([], 0, b"")
        if options.elf:
            analysis = Analysis(Elf(options.elf)).run()
            analysis.check_methods()
            text = assembly(analysis.functions, analysis.start, analysis.unwind_map())
            if options.verbose:
                report(analysis)
    except (TablesError, OSError, KeyError) as error:
        print(f"mktables: {error}", file=sys.stderr)
        return 1
    with open(options.out, "w", encoding="ascii") as file:
        file.write(text)
    return 0


def report(analysis):
    for index in sorted(analysis.conflicts):
        function = analysis.function_at(index)
        name = function.name if function else "?"
        print(f"{analysis.start + 4 * index:#x} {name}: paths with and without a frame meet here",
              file=sys.stderr)
    known = sum(1 for s in analysis.states if s)
    print(f"{len(analysis.functions)} functions, "
          f"{known} of {len(analysis.states)} instructions known",
          file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
