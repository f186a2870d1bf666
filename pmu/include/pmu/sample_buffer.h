// SPDX-License-Identifier: MIT
// Sample buffer (S000 §3.2.1 "Performance Monitoring Unit"): one writer, one reader, no lock.
// The writer is the interrupt handler. It never waits or allocates, and counts the samples it
// drops. If samples were lost, the reader offers a ring that would have held them, in steps of 4
// KB. The writer moves to it at its next sample. The reader empties the old ring first, so the
// order is kept and nothing is lost on the way.
#ifndef PMU_SAMPLE_BUFFER_H
#define PMU_SAMPLE_BUFFER_H

#include <orrery/sys.h>

// Initial bytes for samples without callers. With callers the ring has the same number of samples.
#define SAMPLE_BUFFER_START 0x2000
#define SAMPLE_BUFFER_STEP 0x1000
#define SAMPLE_BUFFER_MAX 0x100000

// Samples are struct sys_sample from here to their reader. Until it is read, a sample of kernel
// code (SYS_SAMPLE_KERNEL) has the address of the object's representative in `coid`: an interrupt
// has no time to validate it. `cpu` and `event`, which are the buffer's own, and the flags
// ATTRIBUTED and STALE are not set.

// Records from tail up to head are full. One slot stays empty, so head == tail means empty. Places
// are offsets in bytes from the start of the ring.
struct sample_ring {
    u64 bytes;        // with this header
    u64 record_bytes; // the same for every record
    u64 first, end;   // of the records
    u64 head;         // next record to write; writer only
    u64 tail;         // next record to read; reader only
    u64 records[];
};

struct sample_buffer {
    struct sample_ring *writing; // set by the writer once in use
    struct sample_ring *offered; // set by the reader, taken by the writer
    u64 taken, lost;             // written by the writer
    u64 ticks;                   // the same; time base ticks for taking them
    u8 turn;                     // the turn in which samples are taken, set by the giver of turns
    struct sample_ring *reading; // this and below: reader only
    u64 lost_seen;
    u64 bytes; // of the newest ring
    u64 grown; // 4 KB steps
};

// Makes an empty buffer for samples with this many callers (0…16). No writer or reader may use it.
// Returns 0 or E_NOMEM.
s64 sample_buffer_init(struct sample_buffer *buffer, u32 callers);
// Frees the rings. No writer or reader may use it.
void sample_buffer_free(struct sample_buffer *buffer);

// ---- writer ------------------------------------------------------------------------------------

// The writer's stores to a slot must not come before the load that says the slot is free. A branch
// on that load orders them on POWER; a race detector does not know that.
#ifdef __SANITIZE_THREAD__
#define SAMPLE_TAIL_ORDER __ATOMIC_ACQUIRE
#else
#define SAMPLE_TAIL_ORDER __ATOMIC_RELAXED
#endif

// A slot to write, from begin to commit.
struct sample_slot {
    struct sample_ring *ring;
    struct sys_sample *sample;
    u64 next; // head after it
};

// Returns true if a larger ring is on offer: then sample_buffer_begin must begin the next sample.
static inline bool sample_buffer_offered(const struct sample_buffer *buffer)
{
    return __builtin_expect(__atomic_load_n(&buffer->offered, __ATOMIC_RELAXED) != NULL, 0);
}

// Finds the next slot of the ring in use. Returns false if there is no room, and counts the loss.
static inline bool sample_buffer_quick(struct sample_buffer *buffer, struct sample_slot *slot)
{
    struct sample_ring *ring = buffer->writing;
    u64 head = ring->head;
    u64 next = head + ring->record_bytes;
    if (__builtin_expect(next == ring->end, 0))
        next = ring->first;
    if (__builtin_expect(next == __atomic_load_n(&ring->tail, SAMPLE_TAIL_ORDER), 0)) {
        __atomic_store_n(&buffer->lost, buffer->lost + 1, __ATOMIC_RELAXED);
        return false;
    }
    *slot = (struct sample_slot){ring, (struct sys_sample *)((char *)ring + head), next};
    return true;
}

// Does the same, in the ring on offer if there is one.
bool sample_buffer_begin(struct sample_buffer *buffer, struct sample_slot *slot);

// Makes the sample in the slot visible to the reader.
static inline void sample_buffer_commit(struct sample_buffer *buffer,
                                        const struct sample_slot *slot)
{
    __atomic_store_n(&slot->ring->head, slot->next, __ATOMIC_RELEASE);
    __atomic_store_n(&buffer->taken, buffer->taken + 1, __ATOMIC_RELAXED);
}

// ---- a writer that is the reader ----------------------------------------------------------------

// Makes room for this many more samples at once, if possible. For a caller that is both writer and
// reader. Nothing happens at SAMPLE_BUFFER_MAX, or before the reader has emptied the ring that was
// in use before.
void sample_buffer_reserve(struct sample_buffer *buffer, u64 samples);

// ---- reader ------------------------------------------------------------------------------------

// Returns the oldest sample, or NULL; it stays until sample_buffer_drop.
const struct sys_sample *sample_buffer_peek(struct sample_buffer *buffer);
void sample_buffer_drop(struct sample_buffer *buffer);
// Offers a larger ring if samples were lost since the last call. Does nothing at SAMPLE_BUFFER_MAX,
// while the last offer is not yet in use, or when memory is short: the next call tries again.
void sample_buffer_grow(struct sample_buffer *buffer);
#endif
