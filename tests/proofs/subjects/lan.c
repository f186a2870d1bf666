// SPDX-License-Identifier: MIT
// The Ethernet device's ring. Whatever the device writes into its entries, at any time: no byte
// outside of the buffers is read, no more is copied to the owner than it has room for, each buffer
// goes back, and the place in the ring stays in it. What is sent comes from the owner in whole and
// fits the device's buffer.
//
// bounds: any control, length and handle; offsets 0 to 16, 2032 to 2048 and all beyond; any place
//   in the ring; any address and length to send; one frame
// proves: a frame lies within its own buffer, the place in the ring moves with the device's, what
//   is dropped is counted
// seconds: 20
// quick: yes
// eva: -eva-slevel 3000 -eva-split-return full
#include "model/proof.h"

#define TRACE_EVENTS_H
#define trace_net_send(...) ((void)0)
#define trace_net_receive(...) ((void)0)
#define trace_net_drop(...) ((void)0)

#include <kernel/hcall.h>
#undef HCALL
#define HCALL(...) any_hcall()
static s64 any_hcall(void)
{
    return ANY_S64(INT64_MIN, INT64_MAX);
}

// What the device writes into an entry is what a harness says.
#define volatile
#include "dev/lan.c"
#undef volatile

static u8 the_buffers[RX_BUFFERS * RX_BUFFER_SIZE];
static u8 the_page[PAGE_SIZE];
static struct ring_entry the_ring[RING_ENTRIES];

// ---- what is called ----------------------------------------------------------------------------

static u64 copies;

s64 copy_to_user(u64 to, const void *from, u64 bytes)
{
    u64 offset = (u64)((const u8 *)from - the_buffers) % RX_BUFFER_SIZE;

    (void)to;
    copies++;
    //@ check behind_the_handle: bytes == 0 || offset >= 8;
    //@ check within_its_buffer: bytes == 0 || offset + bytes <= 2048;
    //@ check owner_has_room: bytes <= 1536;
    return EITHER() ? 0 : E_FAULT;
}

s64 copy_from_user(void *to, u64 from, u64 bytes)
{
    u8 *at = to;

    (void)from;
    //@ check room_is_there: bytes == 0 || \valid(at + (0 .. bytes - 1));
    return EITHER() ? 0 : E_FAULT;
}

// ---- frames that come --------------------------------------------------------------------------

static void begin(u32 next, u8 toggle)
{
    lan = (struct lan){.buffers = the_buffers, .ring = the_ring, .sending = the_page};
    lan.next = next;
    lan.toggle = toggle;
    copies = 0;
}

static void receive(u32 next, u8 toggle, const struct ring_entry *entry)
{
    begin(next, toggle);
    the_ring[next] = *entry;
    the_ring[(next + 1) % RING_ENTRIES].control =
        next + 1 == RING_ENTRIES ? toggle : toggle ^ ENTRY_TOGGLE;
    s64 length = lan_receive(0x100000);
    u32 place = lan.next;
    u64 after = next + 1 == RING_ENTRIES ? 0 : next + 1;
    //@ check moved_by_one: place == after;
    //@ check as_long_as_can_be: length <= 1536;
    //@ check copied_once: copies <= 1;
    if (length > 0) {
        //@ check reached_frame: \false;
    } else {
        u64 dropped = lan.stat.receive_dropped;
        //@ check counted: dropped >= 1 || copies == 1;
        //@ check reached_dropped: \false;
    }
}

static void receive_at(u32 next, u8 toggle, u16 offset, u32 least, u32 most)
{
    const u64 handles[] = {0, RX_BUFFERS - 1, RX_BUFFERS, UINT64_MAX};

    for (u32 i = 0; i < ARRAY_SIZE(handles); i++) {
        for (u32 valid = 0; valid <= ENTRY_VALID; valid += ENTRY_VALID) {
            struct ring_entry entry = {.control = (u8)(toggle | valid),
                                       .offset = offset,
                                       .length = ANY_U32(least, most),
                                       .handle = handles[i]};
            receive(next, toggle, &entry);
        }
    }
    struct ring_entry entry = {.control = toggle | ENTRY_VALID, .offset = offset};
    entry.length = ANY_U32(least, most);
    entry.handle = ANY_U64(RX_BUFFERS, UINT64_MAX);
    receive(next, toggle, &entry);
}

static void receive_any(u32 next, u8 toggle)
{
    for (u32 offset = 0; offset <= RX_BUFFER_SIZE; offset = offset == 16 ? 2032 : offset + 1) {
        receive_at(next, toggle, (u16)offset, 0, RX_BUFFER_SIZE - offset);
        receive_at(next, toggle, (u16)offset, RX_BUFFER_SIZE - offset + 1, UINT32_MAX);
    }
    receive_at(next, toggle, ANY_U16(RX_BUFFER_SIZE + 1, UINT16_MAX), 0, UINT32_MAX);
}

static void nothing_there(u8 toggle)
{
    begin(7, toggle);
    the_ring[7].control =
        ANY_U8(toggle != 0 ? 0 : ENTRY_TOGGLE, toggle != 0 ? ENTRY_TOGGLE - 1 : UINT8_MAX);
    s64 length = lan_receive(0x100000);
    //@ check nothing: length == 0 && copies == 0 && lan.next == 7;
}

// ---- frames that go ----------------------------------------------------------------------------

static void send_any(void)
{
    begin(0, 0);
    u64 bytes = ANY_U64(0, UINT64_MAX);
    s64 sent = lan_send(ANY_U64(0, UINT64_MAX), bytes);
    //@ check what_can_be: sent < 0 || 14 <= sent <= 1514;
    if (sent > 0) {
        //@ check reached_sent: \false;
    }
}

int main(void)
{
    receive_any(7, ENTRY_TOGGLE);
    receive_any(RING_ENTRIES - 1, 0);
    nothing_there(ENTRY_TOGGLE);
    nothing_there(0);
    send_any();
    //@ check reached_end: \false;
    return 0;
}
