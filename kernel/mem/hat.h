// SPDX-License-Identifier: MIT
// HAT: the hardware's picture of an address space, as page tables (S000 §2.4.3). A SegmentHAT has
// the table of one segment of 2 MB; several HATs can share one.
#ifndef KERNEL_MEM_HAT_H
#define KERNEL_MEM_HAT_H

#include <co/object.h>
#include <kernel/memory.h>

#define SEGMENT_SHIFT 21
#define SEGMENT_BYTES (1UL << SEGMENT_SHIFT)

struct hat;
struct pm;
struct segment;

// Makes an empty HAT with an MMU PID of its own. Its tables are charged to pm. Returns NULL if out
// of memory or of PIDs. ended() is called in the reaper's thread when nobody can be using the HAT
// any more.
struct hat *hat_create(struct pm *pm, void (*ended)(void *), void *argument);
// Gives tables, segments and PID back; no CPU runs in the space.
void hat_destroy(struct hat *hat);
coid_t hat_coid(const struct hat *hat);
// Returns the tag of a CPU that runs in it (orrery/pmu_model.h); the low half is the MMU's PID.
u64 hat_tag(const struct hat *hat);
// Sets whose space it is: the upper half of the tag. CPUs that run in it at the moment go on with
// the old one.
void hat_set_owner(struct hat *hat, u64 owner);
// Makes it this CPU's. Soft-masked.
void hat_switch(struct hat *hat);

// Gets the space's own segment of an address. Makes it when it is missing; when a shared one is
// attached, in its place. Returns 0, E_NOMEM or E_LIMIT. Thread context, no lock held.
s64 hat_segment(struct hat *hat, u64 address, struct segment **segment);
// Returns the space's own segment, or NULL if there is none yet. Any context but PMI.
struct segment *hat_segment_own(struct hat *hat, u64 address);
// Returns the segment attached for an address, own or shared, or NULL.
struct segment *hat_segment_find(struct hat *hat, u64 address);
// Attaches a shared segment where none is: 0, E_EXIST, E_NOMEM, E_LIMIT. Takes a reference.
s64 hat_segment_attach(struct hat *hat, u64 address, struct segment *segment);

// Removes mappings from own segments and detaches shared ones; on return no CPU uses them.
void hat_unmap(struct hat *hat, u64 address, u64 bytes);
// Removes the mapping of one address if it is of this page, for the page's owner.
void hat_unmap_page(struct hat *hat, u64 address, u64 page);

// Notes that no CPU will run in the space any more: from now on nothing is flushed for it.
void hat_retire(struct hat *hat);

// ---- shared segments ----------------------------------------------------------------------------

// What a shared segment shows: pieces of one memory object, read-only. Who has exactly these pieces
// there can use it.
#define SEGMENT_PIECES 4
struct segment_key {
    u64 base; // address of the segment
    u64 count;
    struct segment_piece {
        u64 start, end; // addresses within the segment
        u64 page;       // of the object, at start
        u64 prot;
    } pieces[SEGMENT_PIECES];
};

// Makes a segment with one reference, for an FCM to share out. Returns NULL if out of memory.
struct segment *segment_create_shared(const struct segment_key *key);
void segment_put(struct segment *segment);
coid_t segment_coid(const struct segment *segment);
const struct segment_key *segment_key(const struct segment *segment); // of a shared one
// Unmaps a page if it is there, for all who share the segment.
void segment_share_unmap(struct segment *segment, u64 address, u64 page);

#endif
