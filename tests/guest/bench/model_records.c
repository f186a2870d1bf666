// SPDX-License-Identifier: MIT
// Precise records: a counter of instructions that overflows every so many, its value at the end,
// and the records that it has left in the ring. With a period P and a value V there are V / P of
// them, P instructions apart.
#include "model_records.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/symbols.h>

#include "bench.h"

#define RECORDS 1024
#define FEW 8
#define LABEL 0xa5c3
#define BODY_BYTES 0x200 // no body before its loop, and no loop, is longer

struct model_session {
    const struct model_case *one;
    u64 turns, period, random, records;
    struct result {
        u64 value, wanted, read, lost; // wanted: of the loop alone, both times
        u64 in_loop, right_registers, right_frames;
        u64 opened; // value with which the loop's second window opened
        u64 in_window,
            // records of this window, and those that name the instruction that was counted last
            right_pc;
        u64 apart;  // pairs of records that are as far apart as the period
        u64 spread; // largest distance less smallest
        u64 errors, frame;
    } result[ORRERY_MAX_CPUS];
};

static u64 counter(void)
{
    return (u64)__builtin_ctzl(model_machine()->counters[MODEL_INSTRUCTIONS]);
}

// Stopped and cleared.
static u64 program(const struct model_session *session)
{
    const struct model_program program = {.counter = counter(),
                                          .event = MODEL_INSTRUCTIONS,
                                          .flags =
                                              MODEL_KERNEL | MODEL_PRECISE | MODEL_LABEL(LABEL),
                                          .period = session->period,
                                          .random = session->random};

    return model_program(&program) != 0;
}

static u64 start(void)
{
    return model_enable(1UL << counter()) != 0;
}

// So that what has to be instrumented is when all run; there is no ring yet.
static void begin(struct bench_worker *worker)
{
    struct model_session *session = worker->argument;

    session->result[worker->cpu].errors = program(session) + start();
}

static void records_run(struct bench_worker *worker);

// A function's first instruction: what its descriptor holds.
static u64 code_of(u64 function)
{
    return *(const u64 *)function;
}

// Which instruction is the n-th that was counted? A record's number times the period is n; the
// window's first has the number that follows what it opened with, and copying
// comes before the loop.
static void check_pc(const struct model_session *session, const struct model_record *record,
                     struct result *result)
{
    u64 n = record->sequence * session->period - result->opened - 1;

    if (n < MODEL_WINDOW_INSTRUCTIONS || n >= MODEL_WINDOW_INSTRUCTIONS + 2 * session->turns)
        return;
    result->in_window++;
    result->right_pc +=
        record->pc == (u64)model_body_spin_loop + (n - MODEL_WINDOW_INSTRUCTIONS) % 2 * 4;
}

static bool is_in_run(u64 pc)
{
    u64 offset;

    return symbol_find(pc, &offset) != NULL && pc - offset == code_of((u64)records_run);
}

static void look_at(const struct model_session *session, const struct model_record *record,
                    struct result *result)
{
    bool inside = record->pc - code_of((u64)session->one->body) < BODY_BYTES;

    result->in_loop += inside;
    result->right_registers +=
        inside && record->gpr[3] == session->turns && record->event == MODEL_INSTRUCTIONS &&
        record->counter == counter() && MODEL_LABEL_OF(record->flags) == LABEL;
    // A loop has no frame of its own: r1 is that of model_window, which `records_run` called.
    result->right_frames += inside && record->frames[0].sp == record->gpr[1] &&
                            record->frames[1].sp == result->frame &&
                            is_in_run(record->frames[1].lr);
}

static void read_all(const struct model_session *session, struct result *result)
{
    const struct model_record *record;
    u64 last = 0, least = UINT64_MAX, most = 0;

    while ((record = model_ring_peek(cpu_id())) != NULL) {
        u64 distance = record->time - last;
        if (result->read != 0) {
            result->apart += distance == session->period;
            least = distance < least ? distance : least;
            most = distance > most ? distance : most;
        }
        last = record->time;
        look_at(session, record, result);
        check_pc(session, record, result);
        result->read++;
        model_ring_next(cpu_id());
    }
    result->spread = most >= least ? most - least : 0;
}

static void records_run(struct bench_worker *worker)
{
    struct model_session *session = worker->argument;
    struct result *result = &session->result[worker->cpu];
    u64 values[MODEL_COUNTERS] = {0}, counts[MODEL_COUNTERS];

    result->frame = (u64)__builtin_frame_address(0);
    result->errors += program(session);
    result->errors += model_ring_resize(worker->cpu, session->records) != 0;
    u64 msr = hard_mask();
    result->errors += start();
    model_window(session->one, session->turns, counts);
    result->errors += model_enable(0) != 0;
    hard_mask_restore(msr);
    model_read(values);
    result->value = values[counter()];
    result->opened = model_window_opened(counter());
    result->wanted = 2 * counts[counter()] / session->period;
    read_all(session, result);
    result->lost = model_slot()->ring.lost;
    result->errors += model_ring_resize(worker->cpu, 0) != 0;
}

static void sample(struct model_session *session)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    bench_on_cpus(bench_all_cpus(), begin, session, workers);
    bench_on_cpus(bench_all_cpus(), records_run, session, workers);
}

static void check_period(const struct model_case *one, u64 turns, u64 period)
{
    struct model_session session = {
        .one = one, .turns = turns, .period = period, .records = RECORDS};
    struct bench_tally number = {0}, apart = {0}, registers = {0}, frames = {0}, pc = {0};
    u64 errors = 0, lost = 0, in_loop = 0, wanted = 0;

    sample(&session);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct result *result = &session.result[cpu];
        bench_compare(&number, result->value / period, result->read);
        bench_compare(&apart, result->read != 0 ? result->read - 1 : 0, result->apart);
        bench_compare(&registers, result->in_loop, result->right_registers);
        bench_compare(&frames, result->in_loop, result->right_frames);
        bench_compare(&pc, result->in_window, result->right_pc);
        errors += result->errors;
        lost += result->lost;
        in_loop += result->in_loop;
        wanted += result->wanted;
    }
    bench_tally_row(&number, "records of %lu turns, one every %lu", turns, period);
    bench_range(wanted - 2 * cpu_count, wanted + 2 * cpu_count, in_loop, "  with a pc in the loop");
    bench_tally_row(&pc, "  with exactly the right pc");
    bench_tally_row(&apart, "  exactly a period apart");
    bench_tally_row(&registers, "  with the loop's registers");
    bench_tally_row(&frames, "  with the caller's frame");
    bench_exact(0, errors + lost, "  lost, or commands refused");
}

static void check_random(const struct model_case *one)
{
    struct model_session session = {
        .one = one, .turns = 20000, .period = 1000, .random = 8, .records = RECORDS};
    u64 low = 0, high = 0, read = 0, spread = UINT64_MAX;

    sample(&session);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct result *result = &session.result[cpu];
        // A standard deviation of a period is 256 / sqrt(12); six of them, of the sum of all.
        u64 expected = result->value / session.period;
        low += expected - 6;
        high += expected + 6;
        read += result->read;
        spread = result->spread < spread ? result->spread : spread;
    }
    bench_range(low, high, read, "records, one every 1000, 8 bits random");
    bench_range(128, 256, spread, "  longest period less shortest");
}

static void check_loss(const struct model_case *one)
{
    struct model_session session = {.one = one, .turns = 5000, .period = 100, .records = FEW};
    struct bench_tally kept = {0}, lost = {0};

    sample(&session);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        bench_compare(&kept, FEW, session.result[cpu].read);
        bench_compare(&lost, session.result[cpu].value / session.period - FEW,
                      session.result[cpu].lost);
    }
    bench_tally_row(&kept, "records that a small ring has kept");
    bench_tally_row(&lost, "  and that were lost");
}

void model_check_records(const struct model_case *one)
{
    check_period(one, 20000, 997);
    check_period(one, 100, MODEL_PERIOD_MIN);
    check_period(one, 100000, 10007);
    check_random(one);
    check_loss(one);
}
