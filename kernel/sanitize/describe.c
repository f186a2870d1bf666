// SPDX-License-Identifier: MIT
// What a report tells behind its panic: what lies at the address, and the shadow around it.
#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/sanitize.h>
#include <kernel/symbols.h>
#include <stdio.h>
#include <stdlib.h>

#include "depot.h"
#include "globals.h"
#include "records.h"
#include "report.h"
#include "shadow.h"

#define STACK_MAGIC 0x41b58ab3 // first word of a frame with redzones
#define SHADOW_LINE 16         // shadow bytes that a line shows
#define STACK_BYTES (STACK_UNIT / 2)

static u64 subject;

static const char *bytes_of(u64 count)
{
    return count == 1 ? "byte" : "bytes";
}

static void print_chain(const char *what, u32 thread, u32 chain)
{
    kprintf("  %s by thread %u:\n", what, thread);
    depot_print(chain);
}

// Prints "3 bytes behind", and the like, of [start, start + bytes).
static void print_place(u64 start, u64 bytes)
{
    if (subject < start)
        kprintf("%lu %s before", start - subject, bytes_of(start - subject));
    else if (subject >= start + bytes)
        kprintf("%lu %s behind the end of", subject - (start + bytes),
                bytes_of(subject - (start + bytes)));
    else
        kprintf("%lu %s into", subject - start, bytes_of(subject - start));
}

static bool describe_heap(void)
{
    u64 block_bytes;
    const struct object_header *header = heap_header(subject, &block_bytes);

    if (header == NULL)
        return false;
    if (header->state != OBJECT_IN_USE && header->state != OBJECT_QUARANTINED) {
        kprintf("  in a free block of %lu bytes of the heap\n", block_bytes);
        return true;
    }
    kprintf("  ");
    print_place(heap_object(header), header->bytes);
    kprintf(" an object of %lu bytes at %016lx, in a block of %lu\n", header->bytes,
            heap_object(header), block_bytes);
    print_chain("allocated", header->allocating_thread, header->allocated);
    if (header->state == OBJECT_QUARANTINED)
        print_chain("freed", header->freeing_thread, header->freed);
    return true;
}

static bool describe_pages(void)
{
    u64 start;
    const struct page_record *record = pages_record(subject, &start);

    if (record == NULL || record->state == PAGE_NEVER_GIVEN)
        return false;
    kprintf("  %lu bytes into %lu pages at %016lx\n", subject - start, 1UL << record->order, start);
    print_chain("allocated", record->allocating_thread, record->allocated);
    if (record->state != PAGE_GIVEN)
        print_chain("freed", record->freeing_thread, record->freed);
    return true;
}

static bool describe_global(void)
{
    const struct global *global = globals_find(subject);

    if (global == NULL)
        return false;
    kprintf("  ");
    print_place(global->start, global->bytes);
    kprintf(" the variable %s of %lu bytes (%s:%d)\n", global->name, global->bytes, global->file,
            global->location != NULL ? global->location->line : 0);
    return true;
}

// Prints a frame's variables. The compiler describes a frame by a text: the number of variables,
// and of each its place in the frame, its bytes, the length of its name, and the name with its
// line.
static void print_variables(u64 frame, const char *text)
{
    char *at;
    u64 count = strtoul(text, &at, 10);

    for (u64 i = 0; i < count; i++) {
        u64 start = frame + strtoul(at, &at, 10);
        u64 bytes = strtoul(at, &at, 10);
        u64 length = strtoul(at, &at, 10);
        kprintf("  ");
        print_place(start, bytes);
        kprintf(" the variable %.*s of %lu bytes\n", (int)length, at + 1, bytes);
        at += 1 + length;
    }
}

// A frame begins at the first byte of the redzone to its left.
static bool describe_stack(void)
{
    u64 bottom = ALIGN_DOWN(subject, STACK_BYTES);
    u64 at = ALIGN_DOWN(subject, SHADOW_GRANULE);

    while (at > bottom && *shadow_of(at) != SHADOW_STACK_LEFT)
        at -= SHADOW_GRANULE;
    while (at > bottom && *shadow_of(at - SHADOW_GRANULE) == SHADOW_STACK_LEFT)
        at -= SHADOW_GRANULE;
    const u64 *words = (const u64 *)at;
    if (words[0] != STACK_MAGIC)
        return false;
    u64 offset = 0;
    const char *name = symbol_find(words[2], &offset);
    kprintf("  in the frame of %s, at %016lx\n", name != NULL ? name : "?", at);
    print_variables(at, (const char *)words[1]);
    return true;
}

static void print_shadow(void)
{
    u64 line = ALIGN_DOWN(subject, SHADOW_LINE * SHADOW_GRANULE);

    for (u64 i = 0; i < 5; i++) {
        u64 address = line + i * SHADOW_LINE * SHADOW_GRANULE - 2 * SHADOW_LINE * SHADOW_GRANULE;
        char text[3 * SHADOW_LINE + 1];
        for (u32 j = 0; j < SHADOW_LINE; j++)
            snprintf(text + 3 * j, 4, " %02x", *shadow_of(address + j * SHADOW_GRANULE));
        kprintf("  %c %016lx%s\n", address == line ? '>' : ' ', address, text);
    }
}

static void describe_subject(void)
{
    u8 reason = shadow_reason(subject);

    if (reason == SHADOW_GLOBAL && describe_global())
        return;
    if ((reason == SHADOW_STACK_SCOPE ||
         (reason >= SHADOW_STACK_LEFT && reason <= SHADOW_STACK_RIGHT)) &&
        describe_stack())
        return;
    if (!describe_heap())
        describe_pages();
}

void sanitize_describe(void)
{
    u64 offset = 0;

    if (!report_is_ours())
        return;
    subject = report_subject();
    u64 culprit = report_culprit();
    const char *name = symbol_find(culprit, &offset);
    kprintf("report by %016lx %s+%#lx\n", culprit, name != NULL ? name : "?", offset);
    if (!shadow_covers(subject))
        return;
    describe_subject();
    kprintf("shadow:\n");
    print_shadow();
}
