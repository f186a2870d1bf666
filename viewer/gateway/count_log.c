// SPDX-License-Identifier: MIT
// What counters were read over time.
#include "gateway/count_log.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct count_log_run {
    struct count_request request; // its items point to `infos`
    u32 entries;
    struct event_info infos[];
};

// A CPU's counts, as many as the run has items.
struct cpu_counts_kept {
    u32 cpu;
    struct count *counts;
};

void count_log_begin(struct count_log *log, size_t limit)
{
    *log = (struct count_log){.limit = limit};
}

// ---- memory ------------------------------------------------------------------------------------

static size_t run_bytes(const struct count_request *request)
{
    return sizeof(struct count_log_run) + request->item_count * sizeof(struct event_info);
}

static struct count_log_run *new_run(struct count_log *log, const struct count_request *request)
{
    struct count_log_run *run = memory_get(run_bytes(request));
    run->request = *request;
    for (u32 i = 0; i < request->item_count; i++) {
        run->infos[i] = *request->items[i].event;
        run->request.items[i].event = &run->infos[i];
    }
    log->bytes += run_bytes(request);
    return run;
}

static void free_entry(struct count_log *log, struct count_log_entry *entry)
{
    log->bytes -= entry->bytes;
    free(entry->cpus);
    if (--entry->run->entries == 0) {
        log->bytes -= run_bytes(&entry->run->request);
        free(entry->run);
    }
}

void count_log_free(struct count_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free_entry(log, &log->entries[i]);
    free(log->entries);
    count_log_begin(log, log->limit);
}

// Whether both neighbours are of the same session, so that the sums stay without this reading.
static bool is_inner(const struct count_log *log, size_t at)
{
    return at > 0 && at + 1 < log->count && log->entries[at - 1].run == log->entries[at].run &&
           log->entries[at + 1].run == log->entries[at].run;
}

// Leaves out each second inner reading of the older half. If there is none, leaves out all of that
// half. The newest reading stays.
static void thin_out(struct count_log *log)
{
    size_t half = log->count / 2, kept = 0;
    bool any = false, leave = false;
    for (size_t i = 1; i < half; i++)
        any |= is_inner(log, i);
    for (size_t i = 0; i < log->count; i++) {
        // Two in a row are never left out, so the neighbour before has been kept as it was.
        leave = i < half && (any ? !leave && is_inner(log, i) : true);
        log->thinned += leave;
        log->entries[i].left_out = leave;
    }
    for (size_t i = 0; i < log->count; i++)
        if (log->entries[i].left_out)
            free_entry(log, &log->entries[i]);
        else
            log->entries[kept++] = log->entries[i];
    log->count = kept;
}

// ---- readings ----------------------------------------------------------------------------------

static struct cpu_counts_kept *keep(const struct count_reading *reading, u32 items, size_t *bytes)
{
    size_t counts = reading->cpu_count * (size_t)items;
    size_t head = reading->cpu_count * sizeof(struct cpu_counts_kept);
    head += -head % _Alignof(struct count);
    *bytes = head + counts * sizeof(struct count);
    struct cpu_counts_kept *cpus = memory_get(*bytes);
    struct count *next = (struct count *)((char *)cpus + head);
    for (u32 i = 0; i < reading->cpu_count; i++, next += items) {
        cpus[i] = (struct cpu_counts_kept){reading->cpus[i].cpu, next};
        memcpy(next, reading->cpus[i].counts, items * sizeof(*next));
    }
    return cpus;
}

void count_log_add(struct count_log *log, const struct count_request *request, bool first,
                   double time, const struct count_reading *reading)
{
    const struct count_log_entry *last = log->count == 0 ? NULL : &log->entries[log->count - 1];
    if (!isfinite(time) || (last != NULL && !(time > last->time)))
        return;
    struct count_log_entry entry = {.time = time, .cpu_count = reading->cpu_count};
    entry.run = first || last == NULL ? new_run(log, request) : last->run;
    entry.cpus = keep(reading, entry.run->request.item_count, &entry.bytes);
    entry.run->entries++;
    log->bytes += entry.bytes;
    size_t had = log->capacity;
    log->entries = memory_grow(log->entries, log->count, &log->capacity, sizeof(*log->entries));
    log->bytes += (log->capacity - had) * sizeof(*log->entries);
    log->entries[log->count++] = entry;
    while (log->bytes > log->limit && log->count > 1)
        thin_out(log);
}

double count_log_end(const struct count_log *log)
{
    return log->count == 0 ? -INFINITY : log->entries[log->count - 1].time;
}

// ---- ranges ------------------------------------------------------------------------------------

static bool same_items(const struct count_request *a, const struct count_request *b)
{
    if (a->item_count != b->item_count || a->set_count != b->set_count)
        return false;
    for (u32 i = 0; i < a->item_count; i++)
        if (a->items[i].mode != b->items[i].mode || a->items[i].set != b->items[i].set ||
            strcmp(a->items[i].event->name, b->items[i].event->name) != 0)
            return false;
    return true;
}

// Whether the cell before this entry, up to it, is wanted.
static bool has_cell(const struct count_log *log, size_t at)
{
    return at > 0 && log->entries[at - 1].run == log->entries[at].run;
}

static bool is_in(const struct count_log *log, size_t at, double from, double to)
{
    double middle = (log->entries[at - 1].time + log->entries[at].time) / 2;
    return middle >= from && middle < to;
}

static struct cpu_counts *cpu_of(struct count_reading *sum, u32 cpu)
{
    for (u32 i = 0; i < sum->cpu_count; i++)
        if (sum->cpus[i].cpu == cpu)
            return &sum->cpus[i];
    if (sum->cpu_count == ORRERY_MAX_CPUS)
        return NULL;
    struct cpu_counts *found = &sum->cpus[sum->cpu_count++];
    *found = (struct cpu_counts){.cpu = cpu};
    return found;
}

static const struct count *kept_of(const struct count_log_entry *entry, u32 cpu)
{
    for (u32 i = 0; i < entry->cpu_count; i++)
        if (entry->cpus[i].cpu == cpu)
            return entry->cpus[i].counts;
    return NULL;
}

// Adds what was counted from one reading of a session to another.
static void add_between(const struct count_log_entry *before, const struct count_log_entry *after,
                        struct count_reading *sum)
{
    static const struct count nothing;
    for (u32 i = 0; i < after->cpu_count; i++) {
        const struct count *then = kept_of(before, after->cpus[i].cpu);
        struct cpu_counts *cpu = cpu_of(sum, after->cpus[i].cpu);
        for (u32 item = 0; cpu != NULL && item < sum->items; item++) {
            struct count between =
                count_between(then == NULL ? &nothing : &then[item], &after->cpus[i].counts[item]);
            count_join(&cpu->counts[item], &between);
        }
    }
}

static void take(const struct count_log *log, size_t before, size_t after,
                 const struct count_request *request, struct count_reading *sum,
                 struct count_log_range *range)
{
    const struct count_log_entry *begin = &log->entries[before], *end = &log->entries[after];
    if (!same_items(&end->run->request, request))
        return;
    add_between(begin, end, sum);
    range->from = range->readings == 0 ? begin->time : range->from;
    range->to = end->time;
    range->seconds += (end->time - begin->time) / 1e9;
    range->readings += (u32)(after - before);
}

// Finds the last cell of the range, or the one that has `from` in it. 0: none.
static size_t find_last(const struct count_log *log, double from, double to, bool *single)
{
    size_t around = 0;
    for (size_t at = log->count; at-- > 1;) {
        if (!has_cell(log, at))
            continue;
        *single = false;
        if (is_in(log, at, from, to))
            return at;
        if (log->entries[at - 1].time <= from && from < log->entries[at].time)
            around = at;
    }
    *single = true;
    return around;
}

// Returns the first reading after `time` that has one before it: no cell that ends sooner has its
// middle behind `time`.
static size_t first_after(const struct count_log *log, double time)
{
    size_t low = 1, high = log->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->entries[middle].time > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool count_log_sum(const struct count_log *log, double from, double to,
                   const struct count_request **request, struct count_reading *sum,
                   struct count_log_range *range)
{
    bool single;
    size_t last = find_last(log, from, to, &single);
    *range = (struct count_log_range){0};
    memset(sum, 0, sizeof(*sum));
    if (last == 0)
        return false;
    *request = &log->entries[last].run->request;
    sum->items = (*request)->item_count;
    if (single) {
        take(log, last - 1, last, *request, sum, range);
        return true;
    }
    for (size_t at = first_after(log, from); at <= last; at++) {
        size_t begin = at - 1;
        if (!has_cell(log, at) || !is_in(log, at, from, to))
            continue;
        while (at < last && has_cell(log, at + 1) && is_in(log, at + 1, from, to))
            at++;
        take(log, begin, at, *request, sum, range);
    }
    return true;
}
