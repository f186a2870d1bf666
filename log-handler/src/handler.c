// SPDX-License-Identifier: MIT
// The log handler of S004 figure 4.7, with three repairs: base and wrap come from the beginning of
// the row, sizes are clamped, and without an entry there is no row. The scheduler may change all
// that is read here at any time, so each word is loaded once.
#include <log/handler.h>

#include <string.h>

#define OFFSET_MASK (LOG_AREA_BYTES - sizeof(u32))
#define TICK_SHIFT 6           // LOG_STAMP_HARDWARE
#define TIMEBASE_TICK 5120000u // of LOG_STAMP_TICK: 10 ms at 512 MHz

static struct log_descriptor *descriptor(struct log_cpu *cpu, u32 domain)
{
    return &((struct log_head *)cpu->areas[0])->domains[domain % LOG_DOMAINS];
}

// ---- thresholds ---------------------------------------------------------------------------------

static bool rises(struct log_threshold *threshold)
{
    s32 counter = (s32)((u32)__atomic_load_n(&threshold->counter, __ATOMIC_RELAXED) + 1);

    __atomic_store_n(&threshold->counter, counter, __ATOMIC_RELAXED);
    return counter >= 0;
}

static void start_again(struct log_threshold *threshold)
{
    u32 initial = (u32)__atomic_load_n(&threshold->initial, __ATOMIC_RELAXED);

    __atomic_store_n(&threshold->counter, (s32)-initial, __ATOMIC_RELAXED);
}

// ---- rows ---------------------------------------------------------------------------------------

static u32 stamp(struct log_cpu *cpu, u32 source)
{
    if (source == LOG_STAMP_VIRTUAL)
        return ++cpu->virtual_time;
    u64 now = log_timebase();
    return (u32)(source == LOG_STAMP_TICK ? now / TIMEBASE_TICK : now >> TICK_SHIFT);
}

static inline void put(u32 **entry, u32 value)
{
    __atomic_store_n((*entry)++, value, __ATOMIC_RELAXED);
}

struct row {
    u32 event, current, correspondent, counter;
};

// Returns where the next row begins.
static u32 *write_row(struct log_cpu *cpu, u32 control, u32 *entry, const struct row *row)
{
    if (control & LOG_WITH_EVENT)
        put(&entry, row->event);
    if (control & LOG_WITH_CURRENT)
        put(&entry, row->current);
    if (control & LOG_WITH_CORRESPONDENT)
        put(&entry, row->correspondent);
    if (control & LOG_COUNTER_ADD)
        put(&entry, __atomic_load_n(entry, __ATOMIC_RELAXED) + row->counter);
    else if (control & LOG_WITH_COUNTER)
        put(&entry, row->counter);
    if (control & LOG_STAMP)
        put(&entry, stamp(cpu, control & LOG_STAMP));
    return entry + LOG_PADDING_OF(control);
}

static u32 file_bytes(u32 control)
{
    u32 n = control & LOG_SIZE(15);

    if (n < LOG_SIZE_MIN)
        n = LOG_SIZE_MIN;
    if (n > LOG_SIZE_MAX)
        n = LOG_SIZE_MAX;
    return (u32)sizeof(u32) << n;
}

static void log_to(struct log_cpu *cpu, u32 selector, const struct row *row)
{
    u8 *area = cpu->areas[LOG_SELECTOR_AREA(selector)];
    struct log_register seen;

    if (area == NULL)
        return;
    struct log_register *place = (struct log_register *)(area + LOG_SELECTOR_PLACE(selector));
    u64 word = __atomic_load_n((u64 *)place, __ATOMIC_RELAXED);
    memcpy(&seen, &word, sizeof(seen));
    if (!(seen.control & LOG_ENTRIES))
        return;
    u32 offset = seen.offset & OFFSET_MASK, bytes = file_bytes(seen.control);
    u32 *first = (u32 *)(area + offset);
    u32 *end = write_row(cpu, seen.control, first, row);
    u32 next = offset + (u32)((u8 *)end - (u8 *)first);
    // A reader that sees the offset sees the row.
    __atomic_store_n(&place->offset, (offset & ~(bytes - 1)) | (next & (bytes - 1)),
                     __ATOMIC_RELEASE);
}

// ---- events -------------------------------------------------------------------------------------

// Returns the threshold of a domain that is logged on this CPU, or NULL.
static struct log_threshold *threshold_of(struct log_cpu *cpu, u32 event, u32 domain)
{
    if (domain == 0 || cpu->areas[0] == NULL)
        return NULL;
    return &descriptor(cpu, domain)->thresholds[event];
}

static u32 selector_of(struct log_cpu *cpu, u32 event, u32 domain)
{
    return __atomic_load_n(&descriptor(cpu, domain)->selectors[event], __ATOMIC_RELAXED);
}

void log_happens(struct log_cpu *cpu, u32 event, u32 current, u32 correspondent, u32 counter)
{
    struct log_threshold *threshold = threshold_of(cpu, event, current);
    const struct row row = {event, current, correspondent, counter};

    if (threshold == NULL || current == correspondent)
        return;
    u32 selector = selector_of(cpu, event, current);
    if (selector == 0 || !rises(threshold))
        return;
    start_again(threshold);
    log_to(cpu, selector, &row);
}

bool log_enters(struct log_cpu *cpu, u32 event, u32 current)
{
    struct log_threshold *threshold = threshold_of(cpu, event, current);

    return threshold != NULL && rises(threshold);
}

void log_leaves(struct log_cpu *cpu, u32 event, u32 current, u32 counter)
{
    struct log_threshold *threshold = threshold_of(cpu, event, current);
    const struct row row = {event, current, 0, counter};

    if (threshold == NULL || __atomic_load_n(&threshold->counter, __ATOMIC_RELAXED) < 0)
        return;
    start_again(threshold);
    log_to(cpu, selector_of(cpu, event, current), &row);
}

void log_run_queue(struct log_cpu *cpu, u32 length)
{
    const struct row row = {LOG_RUN_QUEUE, 0, 0, length};

    if (cpu->areas[0] != NULL)
        log_to(cpu,
               __atomic_load_n(&((struct log_head *)cpu->areas[0])->run_queue, __ATOMIC_RELAXED),
               &row);
}
