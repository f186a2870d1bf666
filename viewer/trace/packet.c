// SPDX-License-Identifier: MIT
// Checks trace packets before anything trusts them.
#include "trace/packet.h"

#include <string.h>
#include <trace/layout.h>

const char *packet_check(const u8 *data, size_t size, u32 pid, u32 cpu, u64 *events, u64 *sequence)
{
    struct trace_packet header;
    if (size < sizeof(header))
        return "it is shorter than its header";
    memcpy(&header, data, sizeof(header));
    u64 content_bits = TRACE_BE64(header.content_bits),
        packet_bits = TRACE_BE64(header.packet_bits);
    if (TRACE_BE32(header.magic) != TRACE_PACKET_MAGIC)
        return "its magic number is wrong";
    if (packet_bits != 8 * (u64)size)
        return "its size is not what its header says";
    if (content_bits > packet_bits || content_bits < 8 * sizeof(header))
        return "its contents do not fit into it";
    if (TRACE_BE32(header.cpu_id) != cpu)
        return "it is another CPU's";
    if (TRACE_BE32(header.pid) != pid)
        return "it is another process's";
    *events = TRACE_BE32(header.event_count);
    *sequence = TRACE_BE32(header.packet_seq_num);
    if (*events > (content_bits / 8 - sizeof(header)) / sizeof(u64))
        return "it cannot hold as many events as it claims";
    return NULL;
}
