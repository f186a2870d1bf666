// SPDX-License-Identifier: MIT
// Two objects with work 2:1 in turns: their samples are 2:1, on every CPU, at fixed and randomised
// periods. A turn takes several periods, and there are many, so that chance does not weigh on one
// of them. Where time is the host's, some turns take longer than their work, for the host does
// other things too; that falls to both objects by how long they work. How much the rounds differ
// among themselves says how far off the sum of all may be: where an instruction is a
// cycle, about 1 %.
#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <string.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "benches.h"
#include "sampling.h"

#define ROUNDS 240   // of all CPUs: enough for their scatter to be known
#define RATIO 2000   // in thousandths, as all ratios here
#define WALL 1000003 // a period that is long against the emulator's lateness
#define EXACT 20011

struct pair {
    coid_t coids[2];          // work 2 and 1
    u32 period, turn_samples; // of the object with less work
    u64 iterations;           // of it
    s64 session;
};

// The objects' samples, and sums over the rounds of the squares and products of those of one round.
struct account {
    u64 samples[2];
    u64 squares[2], products;
    u64 wrong;
};

static struct account accounts[ORRERY_MAX_CPUS];
static struct sample_counts counts[ORRERY_MAX_CPUS];

static void ratio_work(struct bench_worker *worker)
{
    const struct pair *pair = worker->argument;
    struct sample_counts *mine = &counts[worker->cpu];
    struct account *account = &accounts[worker->cpu];
    sample_counts_begin(pair->session, worker->cpu, mine);
    for (u32 i = 0; i < ROUNDS / cpu_count; i++) {
        u64 a = mine->own[0], b = mine->own[1];
        CO_CALL(struct work_object, pair->coids[0], spin_nested, 2 * pair->iterations);
        CO_CALL(struct work_object, pair->coids[1], spin_nested, pair->iterations);
        sample_counts_add(pair->session, worker->cpu, pair->coids, mine);
        a = mine->own[0] - a;
        b = mine->own[1] - b;
        account->samples[0] += a;
        account->samples[1] += b;
        account->squares[0] += a * a;
        account->squares[1] += b * b;
        account->products += a * b;
    }
    account->wrong += mine->other + mine->malformed;
}

static struct account sum_of_cpus(void)
{
    struct account all = {0};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct account *one = &accounts[cpu];
        for (u32 object = 0; object < 2; object++) {
            all.samples[object] += one->samples[object];
            all.squares[object] += one->squares[object];
        }
        all.products += one->products;
        all.wrong += one->wrong;
    }
    return all;
}

// How far off the ratio may be by chance. A round's a and b are off by a - 2 b, and the sum of all
// by as much as the root of the sum of their squares.
static u64 scatter(const struct account *all)
{
    u64 squares = all->squares[0] + 4 * all->squares[1] - 4 * all->products;
    return all->samples[1] == 0 ? 0 : bench_chance(squares) * 1000 / all->samples[1] + 1;
}

static void check(void)
{
    const struct account all = sum_of_cpus();
    u64 a = all.samples[0], b = all.samples[1];
    u64 margin = scatter(&all);
    bench_range(margin < RATIO ? RATIO - margin : 0, RATIO + margin, b == 0 ? 0 : a * 1000 / b,
                "ratio x 1000 of %llu to %llu samples, %u CPUs", (unsigned long long)a,
                (unsigned long long)b, cpu_count);
    bench_exact(0, all.wrong, "  samples with another object or none");
}

static void ratio_sample(struct pair *pair, u32 randomise)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    memset(counts, 0, sizeof(counts));
    memset(accounts, 0, sizeof(accounts));
    pair->session = sample_cycles(pair->period, randomise, 0, 0);
    bench_exact(1, pair->session > 0, "sampling started, period %u, %u bits random", pair->period,
                randomise);
    if (pair->session <= 0)
        return;
    bench_on_cpus(bench_all_cpus(), ratio_work, pair, workers);
    sys_sampling_stop(pair->session);
    check();
}

void bench_ratio(void)
{
    struct pair pair = {.period = WALL, .turn_samples = 5};
    if (work_time_is_exact())
        pair = (struct pair){.period = EXACT, .turn_samples = 20};
    pair.iterations = work_spin_iterations((u64)pair.period * pair.turn_samples);
    if (work_objects_create(pair.coids, 2) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    ratio_sample(&pair, 0);
    ratio_sample(&pair, 14);
    work_objects_destroy(pair.coids, 2);
}
