// SPDX-License-Identifier: MIT
// Reads the ring of a writer that has stopped for good. It can tell all states apart that the order
// of stores in ring.c can leave.
#include <trace/salvage.h>

static bool plausible(const struct trace_cpu *ring)
{
    u32 count = ring->subbuffer_count;
    return ring->magic == TRACE_CPU_MAGIC && count >= 2 && count <= TRACE_SALVAGE_MAX &&
           (count & (count - 1)) == 0 && ring->consumed <= ring->closed &&
           ring->closed <= ring->begun && ring->begun - ring->closed <= 1 &&
           ring->begun - ring->consumed <= count;
}

bool trace_salvage_open(struct trace_salvage *salvage, const struct trace_cpu *ring,
                        trace_salvage_read read, void *context)
{
    salvage->ring = *ring;
    salvage->read = read;
    salvage->context = context;
    return plausible(&salvage->ring) && read(context, salvage->subbuffers, salvage->ring.subbuffers,
                                             salvage->ring.subbuffer_count * sizeof(u64));
}

// Returns the content of the open packet. pos gives it, unless pos was not yet or no longer set:
// then the packet is empty, or closed except for the count.
static u64 open_content(const struct trace_cpu *ring, u64 address, struct trace_packet *packet,
                        u64 now)
{
    if ((u32)ring->pos == 0)
        return trace_check_content(packet);
    packet->timestamp_end = TRACE_BE64(now);
    return (u32)((u32)ring->pos - (u32)address);
}

u64 trace_salvage_packet(const struct trace_salvage *salvage, u64 n, struct trace_packet *packet,
                         u64 now)
{
    const struct trace_cpu *ring = &salvage->ring;
    u64 address = salvage->subbuffers[n & (ring->subbuffer_count - 1)];
    if (address % TRACE_SUBBUFFER_SIZE != 0 ||
        !salvage->read(salvage->context, packet, address, sizeof(*packet)))
        return 0;
    u64 content =
        n == ring->closed ? open_content(ring, address, packet, now) : trace_check_content(packet);
    if (content <= sizeof(*packet) || content > TRACE_SUBBUFFER_SIZE ||
        !salvage->read(salvage->context, packet->events, address + sizeof(*packet),
                       content - sizeof(*packet)))
        return 0;
    if (n + 1 >= ring->closed) { // only the last one reports losses: an open one may be empty
        packet->events_discarded = TRACE_BE64(ring->discarded);
        packet->events_overwritten = TRACE_BE64(trace_cpu_overwritten(ring));
    }
    return content;
}

u64 trace_salvage_rest(const struct trace_salvage *salvage, u32 pid, u32 cpu,
                       struct trace_packet *packet, u64 now, struct trace_stream *stream)
{
    const struct trace_cpu *ring = &salvage->ring;
    u64 logged = trace_cpu_events(ring), overwritten = trace_cpu_overwritten(ring);
    u32 sequence = (u32)ring->closed > stream->sequence ? (u32)ring->closed : stream->sequence;
    if (logged - overwritten <= stream->events || logged < overwritten)
        return 0;
    stream->dropped += logged - overwritten - stream->events;
    *packet = (struct trace_packet){
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .timestamp_begin = TRACE_BE64(now),
        .timestamp_end = TRACE_BE64(now),
        .packet_seq_num = TRACE_BE32(sequence),
        .events_discarded = TRACE_BE64(ring->discarded),
        .events_overwritten = TRACE_BE64(overwritten),
    };
    return trace_check_packet(packet, sizeof(*packet), pid, cpu, now, stream);
}
