// SPDX-License-Identifier: MIT
// The slow half of logging: begins, closes, overwrites and takes sub-buffers. The fast half, which
// only advances pos within the open packet, is sequence.S.
#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>
#include <trace/metadata.h>
#include <trace/platform.h>
#include <trace/ring.h>

#define HIGH_HALF 0xffffffff00000000UL

static bool stopped;

// Keeps the compiler's order: a killed process leaves its ring as its last store made it
// (process.c).
static inline void commit(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Writes events of up to TRACE_MAX_LENGTH words that readers ignore.
static void fill(u64 *from, const u64 *end)
{
    while (from < end) {
        u64 words = (u64)(end - from);
        if (words > TRACE_MAX_LENGTH)
            words = TRACE_MAX_LENGTH;
        *from = TRACE_BE64(words << 22 | TRACE_FILLER_ID);
        from += words;
    }
}

static void close_packet(struct trace_cpu *cpu)
{
    struct trace_packet *packet = trace_ring_packet(cpu, cpu->closed);
    u64 *end = trace_ring_next(cpu);
    packet->timestamp_end = TRACE_BE64(trace_platform_time());
    packet->content_bits = TRACE_BE64((u64)((u8 *)end - (u8 *)packet) * 8);
    packet->events_discarded = TRACE_BE64(cpu->discarded);
    packet->events_overwritten = TRACE_BE64(cpu->overwritten);
    packet->event_count = TRACE_BE32(trace_cpu_events(cpu) - cpu->events);
    fill(end, (u64 *)((u8 *)packet + TRACE_SUBBUFFER_SIZE));
    commit();
    cpu->bound = cpu->limit = 0;
    cpu->pos &= HIGH_HALF;
    commit();
    cpu->closed++;
}

static void set_bound(struct trace_cpu *cpu, u64 high_half)
{
    bool slow = (cpu->counted_majors | cpu->left_out) != 0;
    cpu->bound = high_half | (slow ? 0 : cpu->limit);
}

static void write_header(const struct trace_cpu *cpu, struct trace_packet *packet)
{
    u32 pid = trace_platform_pid();
    *packet = (struct trace_packet){
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .stream_id = TRACE_BE32(pid != 0 ? TRACE_STREAM_PROCESS : TRACE_STREAM_KERNEL),
        .timestamp_begin = TRACE_BE64(trace_platform_time()),
        .packet_bits = TRACE_BE64(TRACE_SUBBUFFER_SIZE * 8),
        .pid = TRACE_BE32(pid),
        .packet_seq_num = TRACE_BE32(cpu->begun),
        .cpu_id = TRACE_BE32(cpu->cpu),
    };
    memcpy(packet->uuid, trace_uuid, sizeof(packet->uuid));
}

// Returns false if the ring is full of unread packets that must be kept.
static bool make_room(struct trace_cpu *cpu)
{
    if (cpu->begun - cpu->consumed < cpu->subbuffer_count)
        return true;
    if (cpu->mode != SYS_TRACE_OVERWRITE || cpu->subbuffer_count == 0)
        return false;
    cpu->overwriting = cpu->consumed + 1;
    commit();
    cpu->total = cpu->overwritten + TRACE_BE32(trace_ring_packet(cpu, cpu->consumed)->event_count);
    commit();
    cpu->consumed++;
    commit();
    cpu->overwritten = cpu->total;
    return true;
}

static bool begin_packet(struct trace_cpu *cpu)
{
    if (!make_room(cpu))
        return false;
    struct trace_packet *packet = trace_ring_packet(cpu, cpu->begun);
    u64 first = (u64)packet->events;
    write_header(cpu, packet);
    cpu->events = trace_cpu_events(cpu);
    commit();
    cpu->begun++;
    commit();
    cpu->pos |= (u32)first;
    // Any event fits before the limit, and one word is left: a sub-buffer that ends at a multiple
    // of 4 GB must not carry into the count.
    cpu->limit = (u32)((u64)packet + TRACE_SUBBUFFER_SIZE - (TRACE_MAX_WORDS + 1) * 8);
    set_bound(cpu, first & HIGH_HALF);
    return true;
}

static bool next_packet(struct trace_cpu *cpu)
{
    if (__atomic_load_n(&stopped, __ATOMIC_RELAXED))
        return false;
    if (trace_ring_open(cpu))
        close_packet(cpu);
    return begin_packet(cpu);
}

bool trace_ring_append(struct trace_cpu *cpu, u32 header, const u64 *words)
{
    if ((u32)cpu->pos >= (u32)cpu->limit) {
        if (!next_packet(cpu)) {
            cpu->discarded++;
            return false;
        }
    }
    u64 *event = trace_ring_next(cpu);
    u32 count = trace_event_length(header) - 1;
    event[0] = TRACE_BE64(trace_platform_time() << 32 | header);
    for (u32 i = 0; i < count; i++)
        event[1 + i] = TRACE_BE64(words[i]);
    cpu->pos += cpu->step[count];
    return true;
}

void trace_ring_count(struct trace_cpu *cpu, u64 majors)
{
    cpu->counted_majors = majors;
    set_bound(cpu, cpu->bound & HIGH_HALF);
}

void trace_ring_leave_out(struct trace_cpu *cpu, bool on)
{
    cpu->left_out = on;
    set_bound(cpu, cpu->bound & HIGH_HALF);
}

bool trace_ring_leaves_out(const struct trace_cpu *cpu, u32 header)
{
    // What others' events cannot be read without: who runs, names, counters, classes of objects.
    static const u64 kept = 1UL << TRACE_MAJOR_SCHED | 1UL << TRACE_MAJOR_TRACE |
                            1UL << TRACE_MAJOR_STATE | 1UL << TRACE_MAJOR_PROGRAM |
                            1UL << TRACE_MAJOR_IPC | 1UL << TRACE_MAJOR_PMU |
                            1UL << TRACE_MAJOR_OBJ;

    return cpu->left_out != 0 && (kept >> (trace_event_id(header) >> 16) & 1) == 0;
}

void trace_ring_stop(struct trace_cpu *cpu)
{
    __atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
    cpu->bound &= HIGH_HALF;
    cpu->limit = 0;
}

void trace_ring_renew(struct trace_cpu *cpu)
{
    if (!trace_ring_open(cpu))
        return;
    if (trace_cpu_events(cpu) != cpu->events)
        close_packet(cpu);
    else
        trace_ring_packet(cpu, cpu->closed)->timestamp_begin = TRACE_BE64(trace_platform_time());
}

struct trace_packet *trace_ring_take(struct trace_cpu *cpu, bool flush, void *spare)
{
    if (cpu->consumed == cpu->closed) {
        if (!flush || !trace_ring_open(cpu) || trace_cpu_events(cpu) == cpu->events)
            return NULL;
        close_packet(cpu);
    }
    u64 *slot = &((u64 *)cpu->subbuffers)[cpu->consumed & (cpu->subbuffer_count - 1)];
    struct trace_packet *packet = (struct trace_packet *)*slot;
    *slot = (u64)spare;
    cpu->consumed++;
    return packet;
}

void trace_ring_reset(struct trace_cpu *cpu, enum sys_trace_mode mode)
{
    cpu->bound = cpu->limit = 0;
    cpu->pos = 0;
    cpu->begun = cpu->closed = cpu->consumed = 0;
    cpu->events = cpu->discarded = cpu->overwritten = cpu->overwriting = cpu->total = 0;
    cpu->mode = (u16)mode;
}

static u32 unread_events(const struct trace_cpu *cpu)
{
    u32 count = trace_ring_open(cpu) ? (u32)(trace_cpu_events(cpu) - cpu->events) : 0;
    for (u64 packet = cpu->consumed; packet != cpu->closed; packet++)
        count += TRACE_BE32(trace_ring_packet(cpu, packet)->event_count);
    return count;
}

void trace_ring_stat(const struct trace_cpu *cpu, struct sys_trace_stat *stat)
{
    *stat = (struct sys_trace_stat){
        .events = trace_cpu_events(cpu),
        .discarded = cpu->discarded,
        .overwritten = cpu->overwritten,
        .packets = cpu->begun,
        .subbuffers = cpu->subbuffer_count,
        .subbuffer_bytes = TRACE_SUBBUFFER_SIZE,
        .mode = cpu->mode,
        .unread = unread_events(cpu),
    };
}
