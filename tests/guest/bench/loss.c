// SPDX-License-Identifier: MIT
// Samples that no one reads: the buffer keeps the oldest, counts what it loses exactly, and grows
// so as to hold as much the next time.
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "benches.h"
#include "sampling.h"

#define PERIOD 50021
#define SAMPLES 400 // three times what the smallest buffer holds
#define ROUNDS 3
#define STEP 5    // samples between two looks at the count
#define SLACK 100 // what the later rounds may have too much is less

struct round {
    u64 overflows, lost;
    u64 bytes, grown;
};

static u64 overflows(s64 session)
{
    struct sys_sampling_stat stat = {0};
    sys_sampling_stat(session, cpu_id(), 0, &stat);
    return stat.taken + stat.lost;
}

// Where time is the host's, samples may come late: then as long as it takes.
static void spin_unread(s64 session, coid_t coid, u64 samples, struct sample_counts *counts,
                        struct round *round)
{
    struct sys_sampling_stat stat = {0};
    u64 step = work_time_is_exact() ? samples : STEP;
    u64 iterations = work_spin_iterations(step * PERIOD);
    // Emptying a full buffer holds interrupts back, and what came late is made up for
    // (docs/pmu.md):
    // before the count begins.
    sample_counts_begin(session, cpu_id(), counts);
    CO_CALL(struct work_object, coid, spin_masked, work_spin_iterations(STEP * PERIOD));
    sample_counts_begin(session, cpu_id(), counts);
    u64 end = overflows(session) + samples - 1;
    do {
        CO_CALL(struct work_object, coid, spin_masked, iterations);
    } while (overflows(session) < end);
    sample_counts_add(session, cpu_id(), (const coid_t[]){coid, 0}, counts);
    sys_sampling_stat(session, cpu_id(), 0, &stat);
    *round = (struct round){counts->overflows, counts->lost, stat.buffer_bytes, stat.buffer_grown};
}

static void check(const struct round rounds[ROUNDS], const struct sample_counts *counts, bool exact)
{
    const struct round *last = &rounds[ROUNDS - 1];
    for (u32 i = 0; exact && i < ROUNDS; i++)
        bench_range(SAMPLES - 1, SAMPLES + 1, rounds[i].overflows,
                    "taken + lost, round %u (%llu lost)", i + 1,
                    (unsigned long long)rounds[i].lost);
    bench_exact(counts->taken, counts->read, "samples read, of those taken");
    bench_exact(0, counts->backwards + counts->malformed + counts->other,
                "  out of order, malformed, or of another object");
    bench_range(1, UINT64_MAX, rounds[0].lost, "lost in the first round");
    bench_exact(0, last->lost, "lost once the buffer has grown");
    bench_range(1, UINT64_MAX, last->grown, "steps of 4 KB that it has grown");
    bench_exact(8192 + 4096 * last->grown, last->bytes, "bytes of the buffer");
}

static void run(coid_t coid)
{
    struct round rounds[ROUNDS];
    struct sample_counts counts = {0};
    bool exact = work_time_is_exact();
    s64 session = sample_cycles(PERIOD, 0, 0, 1u << cpu_id());
    bench_exact(1, session > 0, "sampling started, period %u", PERIOD);
    if (session <= 0)
        return;
    for (u32 i = 0; i < ROUNDS; i++)
        spin_unread(session, coid, exact || i > 0 ? SAMPLES : SAMPLES + SLACK, &counts, &rounds[i]);
    sys_sampling_stop(session);
    sample_counts_add(session, cpu_id(), (const coid_t[]){coid, 0}, &counts);
    check(rounds, &counts, exact);
}

void bench_loss(void)
{
    coid_t coid;
    if (work_objects_create(&coid, 1) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    CO_CALL(struct work_object, coid, touch);
    run(coid);
    work_objects_destroy(&coid, 1);
}
