// SPDX-License-Identifier: MIT
// The byte rings between a process and the net server. The other side writes whatever it likes into
// the memory that both share, at any time: nothing outside of the ring and of the caller's buffer
// is touched, no more is copied than the caller asked for, and an index that cannot be is found.
// Each operation keeps its own index where it belongs, so the same holds for all sequences of
// operations.
//
// bounds: capacities 1, 2, 4 and 8, own index at each place, just below 2^32 as well; and 128 KB
//   at its bounds; the other's index anything; buffers of up to 9 bytes
// proves: at most as many bytes as asked for, E_PROTO for impossible indices, own index and the
//   other's word as told
// seconds: 50
// quick: yes
// side: user
// includes: userlib/socket-memory/include
// eva: -eva-slevel 2000000 -eva-split-return full -eva-min-loop-unroll 16
#include <orrery/types.h>

// The other side writes when it likes: what is loaded is what a harness says,
// and nothing that was stored.
static u32 next_load;
static u32 loads;
static u32 load_shared(void)
{
    loads++;
    return next_load;
}
#define LOAD(address) ((void)*(address), load_shared())

#include "model/proof.h"

#include "userlib/socket-memory/ring.c"

#define NET_RING_BYTES 0x20000u
#define BUFFER 9

static struct ring_shared shared;
static u8 bytes[NET_RING_BYTES];
static struct ring ring;

// Nothing lies behind the ring's bytes, so an access beyond its capacity is one beyond its memory.
static u8 bytes_1[1], bytes_2[2], bytes_4[4], bytes_8[8];

static u8 *memory_of(u32 capacity)
{
    return capacity == 1   ? bytes_1
           : capacity == 2 ? bytes_2
           : capacity == 4 ? bytes_4
           : capacity == 8 ? bytes_8
                           : bytes;
}

static void begin(u32 capacity, u32 own)
{
    ring_init(&ring, &shared, memory_of(capacity), capacity);
    ring.own = own;
    loads = 0;
}

// ---- one operation -----------------------------------------------------------------------------

// `there` bytes can be read, or written; IMPOSSIBLE: the other's index cannot be.
#define IMPOSSIBLE UINT32_MAX

static void check_result(s64 result, u32 own, u32 there, u32 count, bool moves)
{
    u32 after = ring.own;

    //@ check looked_once: loads == 1;
    if (there == IMPOSSIBLE) {
        //@ check impossible_is_found: result == -13;
        //@ check nothing_moved: after == own;
        //@ check reached_impossible: \false;
        return;
    }
    u32 whole = there < count ? there : count, moved = moves ? own + whole : own;
    //@ check as_much_as_can_be: result == whole;
    //@ check moved_by_that: after == moved;
}

static void write(u32 own, u32 there, u32 tail, u32 count)
{
    u8 from[BUFFER] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    begin(ring.capacity, own);
    next_load = tail;
    shared.head = own;
    s64 result = ring_write(&ring, from, count);
    check_result(result, own, there, count, true);
    u32 head = shared.head, after = ring.own;
    //@ check other_is_told: head == after;
}

static void read(u32 own, u32 there, u32 head, u32 count, bool take)
{
    u8 to[BUFFER];

    begin(ring.capacity, own);
    next_load = head;
    shared.tail = own;
    s64 result = ring_peek(&ring, to, count);
    check_result(result, own, there, count, false);
    if (take && result > 0)
        ring_consume(&ring, (u32)result);
    if (take)
        check_result(result, own, there, count, true);
    u32 tail = shared.tail, after = ring.own;
    //@ check other_is_told: tail == after;
}

static void front(u32 own, u32 there, u32 head)
{
    u32 count;

    begin(ring.capacity, own);
    next_load = head;
    const u8 *at = ring_front(&ring, &count);
    //@ check inside: count == 0 || \valid_read(at + (0 .. count - 1));
    //@ check no_more_than_there: there == 0xffffffff ? count == 0 : count <= there;
}

// ---- everything within the bounds --------------------------------------------------------------

static void operate(u32 own, u32 there)
{
    u32 head = own + there, tail = own - (ring.capacity - there);

    front(own, there, head);
    for (u32 count = 0; count <= BUFFER; count++) {
        write(own, there, tail, count);
        read(own, there, head, count, false);
        read(own, there, head, count, true);
    }
}

static void read_impossible(u32 own, u32 head)
{
    u32 count = ANY_U32(0, BUFFER);

    front(own, IMPOSSIBLE, head);
    read(own, IMPOSSIBLE, head, count, false);
    read(own, IMPOSSIBLE, head, count, true);
}

static void write_impossible(u32 own, u32 tail)
{
    u32 count = ANY_U32(0, BUFFER);

    write(own, IMPOSSIBLE, tail, count);
}

// All indices but own … own + capacity for a reader, own - capacity … own for a writer,
// in pieces that do not wrap.
static void operate_on_impossible(u32 own)
{
    u32 above = own + ring.capacity, below = own - ring.capacity;

    if (above >= own) {
        if (above < UINT32_MAX)
            read_impossible(own, ANY_U32(above + 1, UINT32_MAX));
        if (own > 0)
            read_impossible(own, ANY_U32(0, own - 1));
    } else {
        read_impossible(own, ANY_U32(above + 1, own - 1));
    }
    if (below <= own) {
        if (below > 0)
            write_impossible(own, ANY_U32(0, below - 1));
        if (own < UINT32_MAX)
            write_impossible(own, ANY_U32(own + 1, UINT32_MAX));
    } else {
        write_impossible(own, ANY_U32(own + 1, below - 1));
    }
}

static void any_place(u32 capacity, u32 own)
{
    begin(capacity, own);
    for (u32 there = 0; there <= capacity; there++)
        operate(own, there);
    operate_on_impossible(own);
}

static void small_rings(void)
{
    for (u32 capacity = 1; capacity <= 8; capacity *= 2) {
        for (u32 place = 0; place < capacity; place++) {
            any_place(capacity, place);
            any_place(capacity, UINT32_MAX - place); // it wraps
        }
    }
}

// The ring of the product, around its end.
static void large_ring(void)
{
    for (u32 place = NET_RING_BYTES - BUFFER; place < NET_RING_BYTES; place += 4) {
        begin(NET_RING_BYTES, place);
        for (u32 there = 0; there <= BUFFER; there += 3) {
            operate(place, there);
            operate(place, NET_RING_BYTES - there);
        }
        operate_on_impossible(place);
    }
}

int main(void)
{
    small_rings();
    large_ring();
    //@ check reached_end: \false;
    return 0;
}
