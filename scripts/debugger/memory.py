# SPDX-License-Identifier: MIT
"""The kernel's memory, read on a machine that stands at any instruction.

GDB reads as the selected CPU would, so user mode or real mode hides the kernel. Here addresses are
translated by the kernel's own tables, and QEMU is asked for physical memory.
"""

import contextlib
import re

import gdb

PAGE = 0x1000
VALID, LEAF, ADDRESS = 1 << 63, 1 << 62, 0x01fffffffffff000  # of radix entries (kernel/mem/radix.h)
LEVELS = ((39, 13), (30, 9), (21, 9), (12, 9))               # shift and bits of an index
REAL_MODE = (1 << 60) - 1                                    # what real mode takes of an address


class Damaged(Exception):
    """What lies in memory is not what should be there; the text says what."""


def symbol(name, file=None):
    """The address of a variable of the kernel; file: of which it is a static one."""
    scope = f"'{file}'::" if file else ''
    try:
        return int(gdb.parse_and_eval(f'(unsigned long)&{scope}{name}'))
    except gdb.error as error:
        raise gdb.GdbError(f'The loaded image has no {name}: is it a kernel of Orrery?') from error


def find_type(name):
    try:
        return gdb.lookup_type(name)
    except gdb.error as error:
        raise gdb.GdbError(f'The loaded image has no {name}: is it a kernel of Orrery?') from error


def array_length(name, file):
    """How many elements a static array has."""
    kind = gdb.parse_and_eval(f"&'{file}'::{name}").type.target()
    return kind.range()[1] + 1


def enum_name(kind, number):
    """'parked' for THREAD_PARKED."""
    for field in find_type(f'enum {kind}').fields():
        if field.enumval == number:
            return field.name.split('_', 1)[1].lower()
    raise Damaged(f'{number} is no {kind}')


def offset_of(kind, path):
    """Where a member is in a struct, in bytes."""
    here, at = find_type(kind), 0
    for name in path.split('.'):
        at += here[name].bitpos // 8
        here = here[name].type
    return at


class Memory:
    """Memory as it is while the machine stands; one for each command, since it keeps
    translations."""

    def __init__(self):
        self.connection = gdb.selected_inferior().connection
        if not isinstance(self.connection, gdb.RemoteTargetConnection):
            raise gdb.GdbError('No machine is there: attach to one first, as scripts/gdb does.')
        self.pages = {}
        self.top = symbol('pgd', 'mmu.c') & REAL_MODE
        self.check_image()
        levels = self.physical(self.top, 8 << LEVELS[0][1])
        self.translates = any(levels)

    def check_image(self):
        """Symbols of another image would show nonsense."""
        [image] = [one for one in gdb.objfiles() if one.filename][:1] or [None]
        sections = gdb.execute('maintenance info sections .note.gnu.build-id', to_string=True)
        found = re.search(r'(0x[0-9a-f]+)->(0x[0-9a-f]+)', sections)
        if image is None or found is None or image.build_id is None:
            return
        begin, end = (int(one, 16) for one in found.groups())
        if bytes.fromhex(image.build_id) not in self.physical(begin & REAL_MODE, end - begin):
            raise gdb.GdbError(f'The machine runs another image than {image.filename}: load the one'
                               ' that it was started with (make debug names it).')

    @contextlib.contextmanager
    def physical_mode(self):
        if self.connection.send_packet('Qqemu.PhyMemMode:1') != b'OK':
            raise gdb.GdbError('The target cannot read physical memory: it is no QEMU.')
        try:
            yield
        finally:
            self.connection.send_packet('Qqemu.PhyMemMode:0')

    def physical(self, address, size):
        with self.physical_mode():
            try:
                return bytes(gdb.selected_inferior().read_memory(address, size))
            except gdb.MemoryError as error:
                raise Damaged(f'there is no memory at physical {address:#x}') from error

    def translate(self, address):
        """The physical address of what the kernel sees at address."""
        if not self.translates:  # set up later: the CPU runs in real mode
            return address & REAL_MODE
        table = self.top
        for shift, bits in LEVELS:
            index = address >> shift & ((1 << bits) - 1)
            entry = int.from_bytes(self.physical(table + 8 * index, 8), 'big')
            if not entry & VALID:
                break
            table = entry & ADDRESS
            if entry & LEAF:
                return table + (address & ((1 << shift) - 1))
        raise Damaged(f'nothing is mapped at {address:#x}')

    def read(self, address, size):
        """What the kernel sees there."""
        read = b''
        while len(read) < size:
            at = address + len(read)
            page = at & -PAGE
            if page not in self.pages:
                self.pages[page] = self.translate(page)
            # Pages that lie side by side in both views are read at once.
            length = PAGE - at % PAGE
            while length < size - len(read) and self.follows(page, at + length):
                length += PAGE
            read += self.physical(self.pages[page] + at % PAGE, min(length, size - len(read)))
        return read

    def follows(self, page, other):
        if other not in self.pages:
            self.pages[other] = self.translate(other)
        return self.pages[other] - self.pages[page] == other - page

    def words(self, address, count):
        read = self.read(address, 8 * count)
        return [int.from_bytes(read[at:at + 8], 'big') for at in range(0, len(read), 8)]

    def word(self, address):
        return self.words(address, 1)[0]

    def text(self, address, most=256):
        """A string that ends with a NUL."""
        read = b''
        while len(read) < most:
            read += self.read(address + len(read), min(32, PAGE - (address + len(read)) % PAGE))
            if b'\0' in read:
                return read.split(b'\0')[0].decode(errors='replace')
        raise Damaged(f'the text at {address:#x} has no end')

    def struct(self, kind, address):
        return Struct(self, kind, address)


class Struct:
    """A struct in the kernel's memory, as it was when this was made."""

    def __init__(self, memory, kind, address):
        self.memory, self.kind, self.address = memory, kind, address
        found = find_type(kind) if isinstance(kind, str) else kind
        self.value = gdb.Value(memory.read(address, found.sizeof), found)

    def part(self, path):
        value = self.value
        for name in path.split('.'):
            value = value[int(name)] if name.isdigit() else value[name]
        return value

    def __getitem__(self, path):
        return int(self.part(path))

    def array(self, path):
        value = self.part(path)
        return [int(value[i]) for i in range(value.type.range()[1] + 1)]

    def text(self, path):
        """Of an array of characters."""
        return bytes(self.array(path)).split(b'\0')[0].decode(errors='replace')

    def address_of(self, path):
        return self.address + offset_of(self.kind, path)
