// SPDX-License-Identifier: MIT
// All events at once against each alone: the same work is measured a hundred times with all events
// taking turns, and once for each event with nothing else counted. The scaled counts have to agree
// with that within their errors.
#include "tests.h"

#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>

#define INTERVALS 100u
// Percent of an event's intervals. Each holds the truth with a probability of 0.99: that fewer of
// 100 do has one of exp(-100 (0.86 ln(0.86 / 0.99) + 0.14 ln(0.14 / 0.01))), which is 2 * 10^-11.
#define HELD 86u
#define SLICE 20000
#define ROUNDS 20
#define LOOPS 6000       // of a phase: shorter than a slice
#define WORDS (1u << 20) // 8 MB: more than TLB and caches reach
#define SLACK 50         // of any event: the calls that start and end a session
// Of misses: the kernel's change of groups throws lines of the measured code out, a handful each
// time, and has more to do the more events there are.
#define DISPLACED 100
// Of an event alone: what the models' state at the start, and interrupts, make of it.
#define REPEATS 5

static const char *const names[] = {
    "instructions", "cycles",    "larx",     "stcx",     "branches", "taken", "mispredicted",
    "itlb-miss",    "dtlb-miss", "l1i-miss", "l1d-miss", "l2-miss",  "loads", "stores",
};

static u64 words[WORDS];

// ---- the work -----------------------------------------------------------------------------------

// The same numbers each time.
static u64 draw(u64 *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return *state >> 33;
}

static void walk(u64 *state)
{
    for (u32 i = 0; i < LOOPS; i++)
        words[draw(state) % WORDS]++;
}

static u64 decide(u64 *state)
{
    volatile u64 taken = 0;
    for (u32 i = 0; i < LOOPS; i++) {
        if (draw(state) & 4)
            taken = taken + 1;
    }
    return taken;
}

static void phases(void)
{
    u64 state = 1;
    for (u32 round = 0; round < ROUNDS; round++) {
        work(LOOPS);
        walk(&state);
        decide(&state);
    }
}

// ---- measuring ----------------------------------------------------------------------------------

struct measurement {
    struct sys_pmu_counting counting;
    u32 cpu;
    struct scaled_count counts[SYS_PMU_ITEMS];
};

// On its CPU, which nothing else runs on but the kernel.
static void measure(void *argument)
{
    struct measurement *measurement = argument;
    s64 session = start(&measurement->counting);
    CHECK_IS(session > 0, true);
    phases();
    CHECK_IS(sys_pmu_count_stop(session), 0);
    read_counts(session, measurement->cpu, &measurement->counting, measurement->counts);
}

struct alone {
    u64 least, most;
};

static struct sys_pmu_counting turns_request(u32 sets)
{
    struct sys_pmu_counting counting = request();
    counting.slice = SLICE;
    counting.set_count = sets;
    for (u32 set = 0; set < sets; set++)
        counting.shares[set] = 1;
    return counting;
}

// What was counted while an item was, of its scaled count.
static u64 counted(const struct scaled_count *count)
{
    return (u64)(((unsigned __int128)count->count * count->measured + count->total / 2) /
                 count->total);
}

// In two sets, which take turns as often as all events do: of what the change of turns does to
// caches and TLB each measurement has the same. One of them counts at every moment.
static struct alone measure_alone(const char *name, u32 cpu)
{
    struct alone alone = {.least = UINT64_MAX};
    for (u32 i = 0; i < REPEATS; i++) {
        static struct measurement measurement;
        measurement = (struct measurement){.counting = turns_request(2), .cpu = cpu};
        for (u32 set = 0; set < 2; set++)
            add(&measurement.counting, name, SYS_PMU_USER, set);
        on_cpu(cpu, measure, &measurement);
        u64 found = counted(&measurement.counts[0]) + counted(&measurement.counts[1]);
        alone.least = found < alone.least ? found : alone.least;
        alone.most = found > alone.most ? found : alone.most;
    }
    return alone;
}

static bool holds(const char *name, const struct scaled_count *count, const struct alone *alone)
{
    u64 error = count->error + SLACK + (strstr(name, "miss") != NULL ? DISPLACED : 0);
    return count->count + error >= alone->least && count->count <= alone->most + error;
}

struct result {
    struct alone alone;
    u32 held;
    u64 measured, total, count, error; // sums
};

// A busy host may hold the timer back for a whole interval.
// Then a set has had too few slices for an error to be known.
static bool errors_known(const struct measurement *measurement)
{
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        if (measurement->counts[i].error == UINT64_MAX)
            return false;
    }
    return true;
}

static void measure_together(struct measurement *measurement, u32 cpu)
{
    do {
        *measurement = (struct measurement){.counting = turns_request(1), .cpu = cpu};
        for (u32 i = 0; i < ARRAY_SIZE(names); i++)
            add(&measurement->counting, names[i], SYS_PMU_USER, 0);
        on_cpu(cpu, measure, measurement);
    } while (!errors_known(measurement));
}

static void judge(const struct measurement *measurement, struct result *results)
{
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        const struct scaled_count *count = &measurement->counts[i];
        results[i].held += holds(names[i], count, &results[i].alone);
        results[i].measured += count->measured;
        results[i].total += count->total;
        results[i].count += count->count;
        results[i].error += count->error;
    }
}

void intervals(void)
{
    static struct measurement measurement;
    struct result results[ARRAY_SIZE(names)] = {0};
    u32 held = 0, cpu = user_cpu_count() - 1;
    memset(words, 1, sizeof(words));
    for (u32 i = 0; i < ARRAY_SIZE(names); i++)
        results[i].alone = measure_alone(names[i], cpu);
    for (u32 interval = 0; interval < INTERVALS; interval++) {
        measure_together(&measurement, cpu);
        judge(&measurement, results);
    }
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        const struct result *result = &results[i];
        printf(
            "test-pmu: %s alone %lu ... %lu, together %lu +- %lu, %lu %% of the time: %u of %u\n",
            names[i], result->alone.least, result->alone.most, result->count / INTERVALS,
            result->error / INTERVALS, result->measured * 100 / result->total, result->held,
            INTERVALS);
        CHECK_IS(result->held * 100 >= HELD * INTERVALS, true);
        held += result->held;
    }
    printf("test-pmu: alone and together agree in %u of %lu\n", held,
           INTERVALS * ARRAY_SIZE(names));
}
