// SPDX-License-Identifier: MIT
// Contention as larx. All CPUs take one lock many times. The larx that each has done must be its
// acquisitions and the turns that it waited, as the locks' own trace events tell them.
#include "model_contention.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <workloads/contended.h>

#include "bench.h"
#include "test_trace.h"

#define ACQUISITIONS 2000
#define HOLD_US 20
#define ROUNDS 50

enum { LARX, STCX, FAILED, COUNTED };

static const u32 events[COUNTED] = {MODEL_LARX, MODEL_STCX, MODEL_STCX_FAILED};

struct contention {
    coid_t coid;
    u32 counters[COUNTED];
    u64 counter_mask;
    struct found {
        struct contended_account account;
        u64 counts[COUNTED];
        u64 errors;
    } found[ORRERY_MAX_CPUS];
};

// The first free counter that can count it is good enough on the machines that there are.
static bool choose_counters(struct contention *contention)
{
    contention->counter_mask = 0;
    for (u32 i = 0; i < COUNTED; i++) {
        u64 able = model_machine()->counters[events[i]] & ~contention->counter_mask;
        if (able == 0)
            return false;
        contention->counters[i] = (u32)__builtin_ctzl(able);
        contention->counter_mask |= 1UL << contention->counters[i];
    }
    return true;
}

static void program_own(struct bench_worker *worker)
{
    const struct contention *contention = worker->argument;

    for (u32 i = 0; i < COUNTED; i++) {
        const struct model_program program = {
            .counter = contention->counters[i], .event = events[i], .flags = MODEL_KERNEL};
        worker->result += model_program(&program) != 0;
    }
    worker->result += model_enable(contention->counter_mask) != 0;
}

// Hard-masked, so that nobody else takes a lock on this CPU meanwhile.
static void model_contend(struct bench_worker *worker)
{
    struct contention *contention = worker->argument;
    struct found *found = &contention->found[worker->cpu];
    u64 before[MODEL_COUNTERS] = {0}, after[MODEL_COUNTERS] = {0};
    const u64 ticks = microseconds_to_ticks(HOLD_US);
    struct contended_account warm_up = {0};

    CO_CALL(struct contended_object, contention->coid, hold, 0, &warm_up); // the first call misses
    u64 msr = hard_mask();
    found->errors += model_read(before) != 0;
    for (u32 i = 0; i < ACQUISITIONS; i++)
        CO_CALL(struct contended_object, contention->coid, hold, ticks, &found->account);
    found->errors += model_read(after) != 0;
    hard_mask_restore(msr);
    for (u32 i = 0; i < COUNTED; i++)
        found->counts[i] += after[contention->counters[i]] - before[contention->counters[i]];
}

static void stop(struct bench_worker *worker)
{
    worker->result = model_enable(0) != 0;
}

static void contend_everywhere(void (*function)(struct bench_worker *),
                               struct contention *contention)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    if (bench_on_cpus(bench_all_cpus(), function, contention, workers) != 0) {
        contention->found[0].errors++;
        return;
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        contention->found[cpu].errors += workers[cpu].result;
}

static bool has_waited(const struct contention *contention)
{
    u64 turns = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        turns += contention->found[cpu].account.turns;
    return turns != 0;
}

// A CPU may find a lock free and lose it to another one at its stcx. Its larx was for neither an
// acquisition nor a turn, and each of these is a failed stcx. So is a turn that ended the same way.
static void check(const struct contention *contention)
{
    struct bench_tally larx = {0}, stcx = {0};
    u64 turns = 0, errors = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct found *found = &contention->found[cpu];
        u64 least = found->account.acquisitions + found->account.turns;
        u64 counted = found->counts[LARX], failed = found->counts[FAILED];
        bench_compare(&larx, counted >= least && counted <= least + failed ? counted : least,
                      counted);
        bench_compare(&stcx, found->account.acquisitions + failed, found->counts[STCX]);
        turns += found->account.turns;
        errors += found->errors;
    }
    bench_tally_row(&larx, "contended lock: larx = acquisitions + turns, + lost races");
    bench_tally_row(&stcx, "  stcx = acquisitions + failed");
    bench_range(cpu_count > 1, cpu_count > 1 ? UINT64_MAX : 0, turns, "  turns");
    bench_exact(0, errors, "  commands refused");
}

void model_check_contention(void)
{
    static struct contention contention;
    struct test_trace trace;

    contention = (struct contention){0};
    s64 coid = contended_create();
    if (coid < 0 || !choose_counters(&contention)) {
        bench_exact(0, 1, "contended lock: no object or no counters");
        return;
    }
    contention.coid = (coid_t)coid;
    test_trace_begin(&trace, SYS_TRACE_OVERWRITE, 1UL << TRACE_MAJOR_LOCK);
    contend_everywhere(program_own, &contention);
    // On a busy host CPUs may happen to run one after the other.
    for (u32 round = 0;
         round < ROUNDS && (round == 0 || (cpu_count > 1 && !has_waited(&contention))); round++)
        contend_everywhere(model_contend, &contention);
    contend_everywhere(stop, &contention);
    test_trace_end();
    test_trace_restore(&trace);
    check(&contention);
    co_destroy(contention.coid);
}
