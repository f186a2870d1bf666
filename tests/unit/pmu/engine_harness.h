// SPDX-License-Identifier: MIT
// What the tests of an engine share: a unit of their own, sessions, and a program that does the
// same all the time. The unit's counters are views of totals, and each command itself takes some
// instructions. The unit complains about all that the model unit would refuse or pay dearly for.
#ifndef TESTS_PMU_ENGINE_HARNESS_H
#define TESTS_PMU_ENGINE_HARNESS_H

#include <pmu/counting_request.h>
#include <pmu/engine.h>
#include "estimate.h"
#include <pmu/platform.h>

#define COMMAND_INSTRUCTIONS 60
#define SLICE 10000

struct test_unit {
    u64 totals[MODEL_EVENTS][2]; // kernel, user
    struct {
        bool programmed, enabled;
        u64 event, flags, value;
        u64 period, left, overflows; // left to the next overflow
        struct sample_buffer *buffer;
    } counters[MODEL_COUNTERS];
    bool must_count;       // at least one counter, at every moment
    u64 commands, failing; // number of the command that fails, 0: none
    u64 random;
};

struct sampling_session {
    bool open;
    bool elsewhere; // it counts on other CPUs only
    struct counting_plan plan;
    struct pmu_tally tally;
};

extern struct test_unit unit;
extern struct pmu_offer offer;
extern struct sys_pmu_counting counting; // what is asked for next
extern struct pmu_engine engine;
extern struct sampling_session sessions[PMU_CLAIMS]; // by their places

int set_up(void **state);
int tear_down(void **state);

// What is asked for: one more event; more than fit a group; the kernel's loads, users' stores.
void add(u32 event, u32 filter);
void add_many(void);
void add_two(void);

// A session that counts what is asked for, not yet known to the engine.
void open_session(u32 place);
// The engine goes on with the sessions that are open. Its error.
s64 change(bool prepare);
// The first session, begun; and the end of all.
s64 begin(void);
void end(void);

// Rounds of the program, on their own, and with a tick behind each few of them: how many.
void run(u64 rounds);
u64 run_and_tick(u32 times);

u32 groups(void);
u64 enabled(void); // counters of the unit
struct pmu_estimate estimate_of(u32 place, u32 item);
// All that was asked for last, within its error; what add_two asks for, exactly.
void check_estimates(u32 place, u64 rounds);
void check_exact(u32 place, u64 rounds);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
