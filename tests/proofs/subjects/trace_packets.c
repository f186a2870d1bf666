// SPDX-License-Identifier: MIT
// Readers of trace packets that others wrote: the kernel's, of packets and rings that processes
// could write at will (trace/src/check.c, salvage.c), kov's, of what comes by the network
// (viewer/packet.c), and the look-up of events. Nothing beyond a packet is read or written, and
// what is said of one that passes is true.
//
// bounds: any content; packets cut off at any byte up to 8 behind the header, and whole ones;
//   checked event by event up to 4 words, for access only up to 64 KB; rings of 0 to 2^32-1
//   sub-buffers
// proves: contents end within the packet and hold the events that they should, all events of the
//   table are found
// seconds: 30
// quick: yes
// includes: viewer
// eva: -eva-slevel 3000 -eva-slevel-function walk_events:400 -eva-slevel-function any_event:20
//   -eva-split-return full
#include "model/proof.h"

#include <trace/described.h>
#include <trace/table.h>

// An event of each length in words that the table can have, one with a text, or none.
static const struct trace_event_info known[] = {
    {.words = 0}, {.words = 1},
    {.words = 2}, {.words = 3},
    {.words = 4}, {.words = 5},
    {.words = 6}, {.words = 4, .field_count = 1, .fields = {{.type = TRACE_TEXT}}}};
static const struct trace_event_info *any_event(u32 id)
{
    (void)id;
    for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
        if (EITHER())
            return &known[i];
    }
    return NULL;
}
#define trace_event_find any_event
#define trace_described_find(id) NULL // as any_event may say, too

#include "trace/src/check.c"
#include "trace/src/salvage.c"
#undef trace_event_find
#include "trace/src/table.c"
#include "viewer/trace/packet.c"

#include <trace/event_table.c>

u8 trace_uuid[16];

#define HEADER sizeof(struct trace_packet)
_Static_assert(TRACE_MAX_WORDS == 6, "known[]");

static u64 memory[TRACE_SUBBUFFER_SIZE / sizeof(u64)];

static u64 any_word(void)
{
    return ANY_U64(0, UINT64_MAX);
}

// ---- what kov gets -----------------------------------------------------------------------------

static void check_received(u64 size)
{
    u8 *data = (u8 *)memory + sizeof(memory) - size; // nothing lies behind it
    u64 events, sequence;

    if (size > 0)
        Frama_C_make_unknown((char *)data, size);
    const char *wrong =
        packet_check(data, size, ANY_U32(0, UINT32_MAX), ANY_U32(0, 7), &events, &sequence);
    if (wrong == NULL) {
        //@ check has_a_header: size >= sizeof(struct trace_packet);
        //@ check no_more_events_than_words: events <= (size - 88) / 8;
        //@ check sequence_is_32_bits: sequence <= 0xffffffff;
        //@ check reached_accepted: \false;
    }
}

// ---- what processes leave ----------------------------------------------------------------------

// The packet at the end of memory of which the first `content` bytes are there.
static struct trace_packet *any_packet(u64 content)
{
    u8 *at = (u8 *)memory + sizeof(memory) - content;

    Frama_C_make_unknown((char *)at, content);
    return (struct trace_packet *)at;
}

static void check_one(u64 content, bool exact)
{
    u32 sequence_before = ANY_U32(0, UINT32_MAX);
    struct trace_stream stream = {.last_end = any_word(), .sequence = sequence_before};
    struct trace_packet *packet = any_packet(content);
    u64 now = any_word();

    u64 result = trace_check_packet(packet, content, 1, 0, now, &stream);
    if (result == 0) {
        //@ check reached_refused: \false;
        return;
    }
    //@ check has_a_header: result >= sizeof(struct trace_packet);
    if (exact) {
        u64 bits = packet->content_bits;
        u32 count = packet->event_count;
        //@ check content_is_within: result <= content;
        //@ check header_says_so: bits == 8 * result;
        //@ check no_more_events_than_words: count <= (result - 88) / 8;
        //@ check reached_accepted: \false;
    }
}

static void check_content(void)
{
    const struct trace_packet *packet = any_packet(HEADER);
    u64 content = trace_check_content(packet);
    //@ check within_a_subbuffer: 88 <= content <= 0x10000 && content % 8 == 0;
}

// ---- rings that processes leave ----------------------------------------------------------------

static bool read_any(void *context, void *to, u64 from, u64 bytes)
{
    u8 *at = to;
    (void)context;
    (void)from;
    //@ check room_is_there: bytes == 0 || \valid(at + (0 .. bytes - 1));
    if (EITHER())
        return false;
    if (bytes > 0)
        Frama_C_make_unknown(to, bytes);
    return true;
}

static void salvage_any(u32 least, u32 most)
{
    struct trace_salvage salvage;
    struct trace_cpu ring;

    Frama_C_make_unknown((char *)&ring, sizeof(ring));
    ring.subbuffer_count = ANY_U32(least, most);
    if (!trace_salvage_open(&salvage, &ring, read_any, NULL)) {
        //@ check reached_implausible: \false;
        return;
    }
    u32 count = salvage.ring.subbuffer_count;
    //@ check known_number: 2 <= count <= 64;
    u64 content =
        trace_salvage_packet(&salvage, any_word(), (struct trace_packet *)memory, any_word());
    //@ check within_a_subbuffer: content == 0 || 88 < content <= 0x10000;
    if (content != 0) {
        //@ check reached_packet: \false;
    }
}

// ---- the table ---------------------------------------------------------------------------------

static void look_up(void)
{
    u64 words[TRACE_MAX_WORDS], values[TRACE_MAX_FIELDS];

    Frama_C_make_unknown((char *)words, sizeof(words));
    for (u32 i = 0; i < trace_event_count; i++) {
        const struct trace_event_info *event = &trace_events[i];
        const struct trace_event_info *found =
            trace_event_find((u32)event->major << 16 | event->minor);
        //@ check found: found == event;
        //@ check as_long_as_can_be: event->words <= 6;
        trace_event_values(event, words, values);
    }
}

int main(void)
{
    for (u64 size = 0; size <= HEADER + 8; size++)
        check_received(size);
    check_received(TRACE_SUBBUFFER_SIZE);
    for (u64 content = HEADER; content <= HEADER + 32; content += 8)
        check_one(content, true);
    check_one(TRACE_SUBBUFFER_SIZE, false);
    check_content();
    for (u32 count = 0; count <= TRACE_SALVAGE_MAX + 1; count++)
        salvage_any(count, count);
    salvage_any(TRACE_SALVAGE_MAX + 2, UINT32_MAX);
    look_up();
    //@ check reached_end: \false;
    return 0;
}
