// SPDX-License-Identifier: MIT
// Sample buffer (seed 000 §3.2.1 "Performance Monitoring Unit"): one writer, one reader, no lock.
// The writer is the interrupt handler: it never waits or allocates, and counts what it has to drop.
// The reader replaces a ring that was too small by one that would have held what was lost, 4 KB
// steps; the writer moves over at its next sample, and the reader empties the old ring first, so
// that order is kept and nothing is lost on the way.
#ifndef PMU_SAMPLE_BUFFER_H
#define PMU_SAMPLE_BUFFER_H

#include <orrery/sys.h>

// Bytes to start with, for samples without callers; with them, for as many samples.
#define SAMPLE_BUFFER_START 0x2000
#define SAMPLE_BUFFER_STEP 0x1000
#define SAMPLE_BUFFER_MAX 0x100000

// Samples are struct sys_sample from here on to their reader. Until they are read, `coid` of kernel
// code (SYS_SAMPLE_KERNEL) is the address of the object's representative: an interrupt has no time
// to validate it. `cpu` and `event`, the buffer's own, and the flags ATTRIBUTED and STALE are not
// set.

// Records from tail up to head are full. One slot stays empty, so that head == tail means empty.
// Places are offsets in bytes from the start of the ring.
struct sample_ring {
    u64 bytes;        // with this header
    u64 record_bytes; // every record has the same size
    u64 first, end;   // of the records
    u64 head;         // next record to write; writer only
    u64 tail;         // next record to read; reader only
    u64 records[];
};

struct sample_buffer {
    struct sample_ring *writing; // set by the writer once in use
    struct sample_ring *offered; // set by the reader, taken by the writer
    u64 taken, lost;             // written by the writer
    u64 ticks;                   // the same; time base, that taking them took
    u8 turn;                     // that samples are taken in, by who gives turns
    struct sample_ring *reading; // this and below: reader only
    u64 lost_seen;
    u64 bytes; // of the newest ring
    u64 grown; // 4 KB steps
};

// Empty buffer for samples with that many callers (0…16). No writer or reader may use it. 0 or
// E_NOMEM.
s64 sample_buffer_init(struct sample_buffer *buffer, u32 callers);
// Frees the rings. No writer or reader may use it.
void sample_buffer_free(struct sample_buffer *buffer);

// ---- writer ------------------------------------------------------------------------------------

// The writer's stores to a slot must not come before the load that says the slot is free. They
// depend on it by a branch, which orders them on POWER; a race detector does not know that.
#ifdef __SANITIZE_THREAD__
#define SAMPLE_TAIL_ORDER __ATOMIC_ACQUIRE
#else
#define SAMPLE_TAIL_ORDER __ATOMIC_RELAXED
#endif

// A slot to write, between begin and commit.
struct sample_slot {
    struct sample_ring *ring;
    struct sys_sample *sample;
    u64 next; // head after it
};

// True when a larger ring is on offer: the next sample has to be begun by sample_buffer_begin.
static inline bool sample_buffer_offered(const struct sample_buffer *buffer)
{
    return __builtin_expect(__atomic_load_n(&buffer->offered, __ATOMIC_RELAXED) != NULL, 0);
}

// The next slot of the ring in use; false when there is no room: the loss has been counted.
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

// The same, in the ring on offer if there is one.
bool sample_buffer_begin(struct sample_buffer *buffer, struct sample_slot *slot);

// Makes the sample in the slot visible to the reader.
static inline void sample_buffer_commit(struct sample_buffer *buffer,
                                        const struct sample_slot *slot)
{
    __atomic_store_n(&slot->ring->head, slot->next, __ATOMIC_RELEASE);
    __atomic_store_n(&buffer->taken, buffer->taken + 1, __ATOMIC_RELAXED);
}

// ---- a writer that is the reader ----------------------------------------------------------------

// Who holds both places: makes room for so many more samples, at once, if growing can: to
// SAMPLE_BUFFER_MAX, and not again before the reader has emptied the ring in use before. Otherwise
// nothing happens.
void sample_buffer_reserve(struct sample_buffer *buffer, u64 samples);

// ---- reader ------------------------------------------------------------------------------------

// The oldest sample, or NULL when there is none; it stays until sample_buffer_drop.
const struct sys_sample *sample_buffer_peek(struct sample_buffer *buffer);
void sample_buffer_drop(struct sample_buffer *buffer);
// Offers a larger ring when samples were lost since the last call. Nothing happens while an offered
// one is not yet in use, at SAMPLE_BUFFER_MAX, or when memory is short: the next call tries again.
void sample_buffer_grow(struct sample_buffer *buffer);
#endif
