// SPDX-License-Identifier: MIT
// What is known of pages and objects: for the quarantine, and for reports.
#ifndef KERNEL_SANITIZE_RECORDS_H
#define KERNEL_SANITIZE_RECORDS_H

#include <orrery/types.h>

enum page_state {
    PAGE_NEVER_GIVEN,
    PAGE_GIVEN,
    PAGE_QUARANTINED,
    PAGE_RELEASED, // left the quarantine, not given again
};

// One a page; of a block of several the first page's counts.
struct page_record {
    u32 allocated, freed; // chains of the depot
    u32 allocating_thread, freeing_thread;
    u32 next;    // page number: the next in quarantine
    u8 order;    // of the block that the page is in
    u8 state;    // enum page_state
    bool object; // a large object of the heap has it
};

// Returns the record of the block that an address of memory is in; NULL before there are any.
// *start: where the block begins.
struct page_record *pages_record(u64 address, u64 *start);

enum object_state {
    OBJECT_IN_USE = 0x4f424a31, // "OBJ1"
    OBJECT_QUARANTINED = 0x4f424a32,
    OBJECT_RELEASED = 0x4f424a33,
};

// In front of each object of the heap, in its redzone.
struct object_header {
    u32 state; // enum object_state; anything else: no object has been here yet
    u32 allocated, freed;
    u32 allocating_thread, freeing_thread;
    u32 reserved;
    u64 bytes;
    struct object_header *next; // in quarantine
};

// Returns the header of the heap's block that an address is in, and the block's size. Returns NULL
// if it is in none.
struct object_header *heap_header(u64 address, u64 *block_bytes);
// Returns where the object of a valid header begins.
u64 heap_object(const struct object_header *header);

u32 record_thread(void); // number of the current thread, 0: none

#endif
