# SPDX-License-Identifier: MIT
"""`orrery trace`: the last events in the trace buffers, as a panic prints them."""

import re

import gdb

from cpus import find_cpus
from memory import Damaged, find_type, symbol

MAGIC = 0x4f52527472616365         # TRACE_CPU_MAGIC: it has buffers (trace/cpu.h)
PACKET_MAGIC = 0xc1fc1fc1          # trace/layout.h
SUBBUFFERS = range(2, 4097)        # of a ring that can be believed
BITS = {'TRACE_U32': 32, 'TRACE_U16': 16, 'TRACE_U8': 8}  # of a field; other numbers have 64
TEXT = 'TRACE_TEXT'               # the last field, in all words behind the others'


class Events:
    """The image's table of events: names, formats and fields by id."""

    def __init__(self, memory):
        self.memory = memory
        count = memory.struct('unsigned int', symbol('trace_event_count')).value
        kind = find_type('struct trace_event_info')
        table = symbol('trace_events')
        raw = memory.read(table, int(count) * kind.sizeof)
        self.places = {}
        for at in range(0, len(raw), kind.sizeof):
            entry = raw[at:at + 4]  # major and minor
            self.places[int.from_bytes(entry, 'big')] = table + at
        self.known = {}

    def find(self, number):
        if number not in self.known:
            self.known[number] = self.load(self.places[number])
        return self.known[number]

    def load(self, place):
        entry = self.memory.struct('struct trace_event_info', place)
        types = [str(entry.part('fields')[i]['type']) for i in range(entry['field_count'])]
        return (self.memory.text(entry['name']), self.memory.text(entry['format']), entry['words'],
                types)

    def describe(self, word, data):
        """Name and text of an event."""
        number = word & 0x3fffff
        if number not in self.places:
            return f'unknown event {number:#x}'
        name, text, words, types = self.find(number)
        has_text = types[-1:] == [TEXT]
        if len(data) <= words if has_text else len(data) != words:
            return f'unknown event {number:#x}'
        values = unpack(data, [BITS.get(one, 64) for one in types if one != TEXT])
        if has_text:
            values.append(text_of(data[words:]))
        return f'{name} {printf(text, values)}'


def unpack(words, bits):
    """Fields lie in the words from their most significant ends."""
    values, used = [], 0
    for width in bits:
        word = words[used // 64]
        used += width
        values.append(word >> (-used % 64) & ((1 << width) - 1))
    return values


def text_of(words):
    """NULs pad it. What a terminal may act upon is replaced, as the kernel does."""
    text = b''.join(word.to_bytes(8, 'big') for word in words).split(b'\0')[0]
    return ''.join(chr(one) if 0x20 <= one <= 0x7e else '?' for one in text)


def printf(text, values):
    """As C's printf, of which Python's % differs in signs and in `#` with 0."""
    left = iter(values)

    def one(match):
        conversion = match[0].replace('l', '')
        if conversion == '%%':
            return '%'
        value = next(left)
        if conversion[-1] == 's':
            return conversion % value
        if conversion[-1] in 'di' and value >> 63:
            value -= 1 << 64
        return (conversion if value != 0 else conversion.replace('#', '')) % value

    return re.sub(r'%[-+ #0-9.]*l*[a-z%]', one, text)


class Ring:
    """The buffers of one CPU."""

    def __init__(self, memory, cpu):
        self.memory, self.cpu = memory, cpu
        self.state = memory.struct('struct trace_cpu', cpu.trace_address)
        self.count = self.state['subbuffer_count']
        if self.state['magic'] != MAGIC or self.count not in SUBBUFFERS:
            raise Damaged(f'the trace state of CPU {cpu.number} is damaged')
        begun, closed, consumed = (self.state[name] for name in ('begun', 'closed', 'consumed'))
        if not consumed <= closed <= begun <= closed + 1:
            raise Damaged(f'the trace state of CPU {cpu.number} is damaged: {begun} packets begun,'
                          f' {closed} closed, {consumed} consumed')

    def end_of(self, number, packet):
        """Where the events of a packet end: an open one's at the position, which commits them."""
        if number == self.state['closed']:
            end = self.state['bound'] or self.state['limit']
            return end & ~0xffffffff | self.state['pos'] & 0xffffffff
        return packet.address + packet['content_bits'] // 8

    def packet(self, number):
        """Time and words of each event of a packet; none where something else lies by now."""
        place = self.memory.word(self.state['subbuffers'] + 8 * (number % self.count))
        packet = self.memory.struct('struct trace_packet', place)
        if packet['magic'] != PACKET_MAGIC or packet['packet_seq_num'] != number & 0xffffffff:
            return []
        size = packet['packet_bits'] // 8 or 0x10000
        bytes_ = self.end_of(number, packet) - packet.address
        if not find_type('struct trace_packet').sizeof <= bytes_ <= size:
            raise Damaged(f'packet {number} of CPU {self.cpu.number} says that '
                          f'it has {bytes_} bytes')
        begin = packet.address_of('events')
        words = self.memory.words(begin, (packet.address + bytes_ - begin) // 8)
        return list(self.events(number, words, packet['timestamp_begin']))

    def events(self, number, words, time):
        at = 0
        while at < len(words):
            length = (words[at] & 0xffffffff) >> 22
            if length == 0 or length > len(words) - at:
                raise Damaged(f'packet {number} of CPU {self.cpu.number}: word {at} is no event')
            time += ((words[at] >> 32) - time) & 0xffffffff
            yield time, self.cpu.number, words[at], words[at + 1:at + length]
            at += length

    def last(self, count):
        """The last events, oldest first."""
        found = []
        begun = self.state['begun']
        for number in range(begun - 1, max(begun - self.count, 0) - 1, -1):
            found[:0] = self.packet(number)
            if len(found) >= count:
                break
        return found[-count:]


def show(memory, count, cpu):
    events, table = [], Events(memory)
    for one in find_cpus(memory, cpu):
        try:
            events += Ring(memory, one).last(count)
        except Damaged as error:
            gdb.write(f'CPU {one.number}: {error}\n')
    events.sort(key=lambda event: event[0])
    gdb.write('       time base CPU event\n')
    for time, number, word, data in events[-count:]:
        gdb.write(f'{time:16} {number:3} {table.describe(word, data)}\n')
