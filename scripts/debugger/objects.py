# SPDX-License-Identifier: MIT
"""`orrery objects`: the kernel's live clustered objects."""

import difflib

import gdb

from memory import Damaged, array_length, symbol

NODE_SLOTS = 256  # clustered-objects/src/gtt.c
PER_PAGE, PAGE_SHIFT, ENTRY = 256, 12, 16  # of COIDs (clustered-objects/src/internal.h)
LIVE_BITS = 64


def find_classes(memory):
    """Names of class and implementation, by id."""
    count = int(memory.struct('unsigned int', symbol('class_count', 'class.c')).value)
    if count > array_length('classes', 'class.c'):
        raise Damaged(f'{count} classes')
    classes = {}
    for number, address in enumerate(memory.words(symbol('classes', 'class.c'), count), 1):
        one = memory.struct('struct co_class', address)
        classes[number] = memory.text(one['name']), memory.text(one['implementation'])
    return classes


def find_chunks(memory):
    """The chunks of the table of objects, by the page of their COIDs."""
    nodes = memory.words(symbol('directory', 'gtt.c'), array_length('directory', 'gtt.c'))
    # By the table: another file has a struct node of its own.
    kind = gdb.parse_and_eval("&'gtt.c'::directory").type.target().target().target()
    for index, node in enumerate(nodes):
        if node == 0:
            continue
        try:
            chunks = memory.struct(kind, node).array('chunks')
        except Damaged as error:
            gdb.write(f'Node {index} of the table of objects is damaged: {error}\n')
            continue
        for slot, address in enumerate(chunks):
            if address != 0:
                yield index * NODE_SLOTS + slot, address


def objects_of(memory, page, address):
    chunk = memory.struct('struct co_chunk', address)
    if chunk['page'] != page:
        raise Damaged(f'it is of page {chunk["page"]:#x}')
    live = chunk.array('live')
    entries = chunk.part('entries')
    for index in range(PER_PAGE):
        if live[index // LIVE_BITS] >> index % LIVE_BITS & 1:
            yield (page << PAGE_SHIFT) + index * ENTRY, entries[index]


def find_objects(memory):
    for page, address in find_chunks(memory):
        try:
            yield from objects_of(memory, page, address)
        except Damaged as error:
            gdb.write(f'The chunk of page {page:#x} at {address:#x} is damaged: {error}\n')


def check_class(wanted, classes):
    names = {name for both in classes.values() for name in both}
    if wanted is None or wanted in names:
        return
    near = difflib.get_close_matches(wanted, names, 1)
    hint = f' Did you mean {near[0]}?' if near else ''
    raise gdb.GdbError(f'No class or implementation is named {wanted}.{hint}')


def describe(memory, coid, entry, classes):
    name, implementation = classes[int(entry['class_id'])]
    root = int(entry['root'])
    at = memory.struct('struct co_root', root)
    note = '' if at['coid'] == coid else f' damaged: its root names {at["coid"]:#x}'
    return f'{coid:#10x} {name:20} {implementation:24} {int(entry["reps"]):4} {root:#x}{note}'


def show(memory, wanted):
    classes = find_classes(memory)
    check_class(wanted, classes)
    gdb.write(f'{"coid":>10} {"class":20} {"implementation":24} reps root\n')
    count = 0
    for coid, entry in find_objects(memory):
        number = int(entry['class_id'])
        if number not in classes:
            gdb.write(f'{coid:#10x} damaged: it is of class {number}\n')
        elif wanted is None or wanted in classes[number]:
            count += 1
            try:
                gdb.write(describe(memory, coid, entry, classes) + '\n')
            except Damaged as error:
                gdb.write(f'{coid:#10x} damaged: {error}\n')
    gdb.write(f'{count} objects\n')
