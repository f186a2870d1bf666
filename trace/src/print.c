// SPDX-License-Identifier: MIT
// The flight recorder's output: the last events of all CPUs, merged by time, on the console. Works
// on a system in any state: takes no lock, allocates nothing, trusts no length it reads.
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/table.h>
#include <trace/trace.h>

struct last_event {
    u64 time;
    const u64 *event;
};

// The last events of one CPU, a ring of TRACE_PRINT_MAX.
struct last_events {
    u64 found; // ever put in
    u64 shown; // index of the next one to print
    struct last_event events[TRACE_PRINT_MAX];
};

static struct last_events last[ORRERY_MAX_CPUS];

static struct last_event *at(struct last_events *events, u64 index)
{
    return &events->events[index % TRACE_PRINT_MAX];
}

static const u64 *content_end(const struct trace_cpu *cpu, u64 number)
{
    const struct trace_packet *packet = trace_ring_packet(cpu, number);
    u64 begin = (u64)packet;
    u64 end = number == cpu->closed ? (u64)trace_ring_next(cpu)
                                    : begin + TRACE_BE64(packet->content_bits) / 8;
    return end >= begin && end <= begin + TRACE_SUBBUFFER_SIZE ? (const u64 *)end : packet->events;
}

static void collect_packet(struct last_events *events, const struct trace_cpu *cpu, u64 number)
{
    const struct trace_packet *packet = trace_ring_packet(cpu, number);
    const u64 *end = content_end(cpu, number);
    const u64 *event = packet->events;
    u64 time = TRACE_BE64(packet->timestamp_begin);
    while (event < end) {
        u64 word = TRACE_BE64(*event);
        u32 length = trace_event_length(word);
        if (length == 0 || length > (u64)(end - event))
            return;
        time += (u32)(trace_event_time(word) - (u32)time);
        *at(events, events->found++) = (struct last_event){time, event};
        event += length;
    }
}

// Looks at two packets: the latest may just have been begun.
static void collect(struct last_events *events, const struct trace_cpu *cpu, u32 count)
{
    *events = (struct last_events){0};
    if (cpu->magic != TRACE_CPU_MAGIC)
        return;
    u64 oldest = cpu->begun > cpu->subbuffer_count ? cpu->begun - cpu->subbuffer_count : 0;
    u64 first = cpu->begun > oldest + 2 ? cpu->begun - 2 : oldest;
    for (u64 number = first; number < cpu->begun; number++)
        collect_packet(events, cpu, number);
    events->shown = events->found > count ? events->found - count : 0;
}

// Returns the CPU with the earliest next event, or -1.
static int earliest(u32 cpus)
{
    int best = -1;
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        if (last[cpu].shown == last[cpu].found)
            continue;
        if (best < 0 ||
            at(&last[cpu], last[cpu].shown)->time < at(&last[best], last[best].shown)->time)
            best = (int)cpu;
    }
    return best;
}

static void print_event(u32 cpu, u64 time, const u64 *event)
{
    u64 word = TRACE_BE64(*event);
    const struct trace_event_info *info = trace_event_find(trace_event_id(word));
    u64 words[TRACE_MAX_WORDS], values[TRACE_MAX_FIELDS] = {0};

    trace_platform_print("%16lu %2u ", (unsigned long)time, cpu);
    if (info == NULL || !trace_event_fits(info, trace_event_length(word) - 1u)) {
        trace_platform_print("unknown event %#x\n", trace_event_id(word));
        return;
    }
    for (u32 i = 0; i < info->words; i++)
        words[i] = TRACE_BE64(event[1 + i]);
    trace_event_values(info, words, values);
    char text[TRACE_TEXT_BYTES];
    if (trace_event_has_text(info)) {
        trace_event_text(info, event + 1, trace_event_length(word) - 1, text);
        values[info->field_count - 1] = (u64)text;
    }
    trace_platform_print("%s ", info->name);
    // A format has at most TRACE_MAX_FIELDS conversions, each for 64 bits or an address
    // (tools/event_defs.py).
    trace_platform_print(info->format, values[0], values[1], values[2], values[3], values[4],
                         values[5], values[6], values[7]);
    trace_platform_print("\n");
}

void trace_print_last(u32 count)
{
    u32 cpus = trace_platform_cpu_count();
    u64 total = 0;
    if (count > TRACE_PRINT_MAX)
        count = TRACE_PRINT_MAX;
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        collect(&last[cpu], trace_platform_cpu(cpu), count);
        total += last[cpu].found - last[cpu].shown;
    }
    trace_platform_print("last trace events (time base, CPU, event):\n");
    for (; total > 0; total--) {
        int cpu = earliest(cpus);
        const struct last_event *next = at(&last[cpu], last[cpu].shown++);
        if (total <= count)
            print_event((u32)cpu, next->time, next->event);
    }
}
