// SPDX-License-Identifier: MIT
// Counts of events as read at one moment: their sum over CPUs, and what was counted between two
// readings.
#include "counts/counts.h"
#include "counts/count_error.h"

#include <math.h>
#include <string.h>

static u64 add_errors(u64 a, u64 b)
{
    if (a == COUNT_ERROR_UNKNOWN || b == COUNT_ERROR_UNKNOWN)
        return COUNT_ERROR_UNKNOWN;
    double sum = ceil(hypot((double)a, (double)b));
    return sum >= 0x1p63 ? COUNT_ERROR_UNKNOWN : (u64)sum;
}

// Returns whether no time has passed on the CPU. Such a count says nothing, not even that it is not
// known.
static bool is_empty(const struct count *count)
{
    return count->total == 0 && count->count == 0;
}

void count_add(struct count *sum, const struct count *other)
{
    if (is_empty(other))
        return;
    u64 error = is_empty(sum) ? other->error : add_errors(sum->error, other->error);
    sum->count += other->count;
    sum->measured += other->measured;
    sum->total += other->total;
    sum->slices += other->slices;
    sum->error = error;
}

struct count count_total(const struct count_reading *reading, u32 item)
{
    struct count sum = {0};
    for (u32 i = 0; i < reading->cpu_count; i++)
        count_add(&sum, &reading->cpus[i].counts[item]);
    return sum;
}

bool count_lacks_slices(const struct count *count)
{
    return !is_empty(count) && count->error == COUNT_ERROR_UNKNOWN &&
           count->slices < COUNT_SLICES_MIN;
}

const struct cpu_counts *count_without_slices(const struct count_reading *reading, u32 item)
{
    const struct cpu_counts *found = NULL;
    for (u32 i = 0; i < reading->cpu_count; i++) {
        const struct cpu_counts *cpu = &reading->cpus[i];
        if (count_lacks_slices(&cpu->counts[item]) &&
            (found == NULL || cpu->counts[item].slices < found->counts[item].slices))
            found = cpu;
    }
    return found;
}

// Returns what was really counted, before the machine scaled it.
static long double counted(const struct count *count)
{
    return count->total == 0 ? (long double)count->count
                             : (long double)count->count * (long double)count->measured /
                                   (long double)count->total;
}

static u64 rise(u64 before, u64 after)
{
    return after > before ? after - before : 0;
}

static bool has_sums(const struct count *count)
{
    return count->sums.time_squares > 0;
}

void count_scale(struct count *count)
{
    count_wide scaled = count->sums.counted;
    if (count->measured != 0 && count->measured != count->total)
        scaled = (scaled * count->total + count->measured / 2) / count->measured;
    count->count = scaled > UINT64_MAX ? UINT64_MAX : (u64)scaled;
    count->error = count_error(count);
}

void count_join(struct count *sum, const struct count *other)
{
    if (is_empty(other))
        return;
    if (is_empty(sum)) {
        *sum = *other;
        return;
    }
    // Neither has sums where no slice was measured: that interval adds its time alone.
    bool known = (has_sums(sum) || sum->measured == 0) && (has_sums(other) || other->measured == 0);
    if (!known || sum->measured + other->measured == 0) {
        count_add(sum, other);
        sum->sums = (struct count_sums){0};
        return;
    }
    sum->measured += other->measured;
    sum->total += other->total;
    sum->slices += other->slices;
    sum->sums.time_squares += other->sums.time_squares;
    sum->sums.count_squares += other->sums.count_squares;
    sum->sums.products += other->sums.products;
    sum->sums.counted += other->sums.counted;
    count_scale(sum);
}

// Sets the sums of what came between two readings. Returns false if a sum has become less.
static bool sums_between(const struct count_sums *before, const struct count_sums *after,
                         struct count_sums *between)
{
    if (after->counted < before->counted || after->time_squares < before->time_squares ||
        after->count_squares < before->count_squares || after->products < before->products)
        return false;
    *between = (struct count_sums){
        .time_squares = after->time_squares - before->time_squares,
        .count_squares = after->count_squares - before->count_squares,
        .products = after->products - before->products,
        .counted = after->counted - before->counted,
    };
    return true;
}

struct count count_between(const struct count *before, const struct count *after)
{
    struct count between = {
        .measured = rise(before->measured, after->measured),
        .total = rise(before->total, after->total),
        .slices = rise(before->slices, after->slices),
        .error = COUNT_ERROR_UNKNOWN,
    };
    bool known = has_sums(after) && (has_sums(before) || before->measured == 0); // none yet: all 0
    if (known && sums_between(&before->sums, &after->sums, &between.sums)) {
        count_scale(&between);
    } else if (between.measured == between.total && before->measured == before->total) {
        between.count = rise(before->count, after->count);
        between.error = 0;
    } else if (between.measured > 0) {
        long double scaled = (counted(after) - counted(before)) * (long double)between.total /
                             (long double)between.measured;
        between.count = scaled < 0 ? 0 : scaled >= 0x1p64L ? UINT64_MAX : (u64)roundl(scaled);
    }
    return between;
}

static const struct cpu_counts *find_cpu(const struct count_reading *reading, u32 cpu)
{
    static const struct cpu_counts none;
    for (u32 i = 0; i < reading->cpu_count; i++)
        if (reading->cpus[i].cpu == cpu)
            return &reading->cpus[i];
    return &none;
}

void count_reading_between(const struct count_reading *before, const struct count_reading *after,
                           struct count_reading *between)
{
    memset(between, 0, sizeof(*between));
    between->cpu_count = after->cpu_count;
    between->items = after->items;
    between->time = after->time;
    between->excluded_count = after->excluded_count;
    memcpy(between->excluded, after->excluded, sizeof(between->excluded));
    for (u32 i = 0; i < after->cpu_count; i++) {
        const struct cpu_counts *now = &after->cpus[i], *then = find_cpu(before, now->cpu);
        between->cpus[i].cpu = now->cpu;
        for (u32 item = 0; item < after->items; item++)
            between->cpus[i].counts[item] = count_between(&then->counts[item], &now->counts[item]);
    }
}

bool count_is_known(const struct count *count)
{
    return count->measured > 0 || count->total == 0;
}

double count_fraction(const struct count *count)
{
    return count->total == 0 ? 1 : (double)count->measured / (double)count->total;
}
