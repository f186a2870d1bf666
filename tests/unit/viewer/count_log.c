// SPDX-License-Identifier: MIT
// The log of counters' readings: what a range of it tells, against one session of that range,
// against what really happened, and within limited memory.
#include "unit.h"

#include "gateway/count_log.h"
#include "turns.h"

#include <math.h>
#include <string.h>

#define CPUS 2
#define NS 1e9
#define ROOM ((size_t)64 << 20)

static const struct event_info event = {.name = "cycles"};
static struct count_request request = {.item_count = 1, .set_count = 1};

// A machine that counts one event in turns with others.
struct simulated {
    struct sums cpus[CPUS];
    u64 random, truth;
    double time; // ns
    struct count_reading reading;
};

static void begin(struct simulated *machine, u64 seed)
{
    request.items[0] = (struct count_item){&event, COUNT_ALL, 0};
    *machine = (struct simulated){.random = seed, .time = NS};
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        pmu_multiplex_begin(multiplex(&machine->cpus[cpu]), 1);
}

static const struct count_reading *take_reading(struct simulated *machine)
{
    machine->reading.cpu_count = CPUS;
    machine->reading.items = 1;
    for (u32 cpu = 0; cpu < CPUS; cpu++) {
        machine->reading.cpus[cpu].cpu = cpu;
        machine->reading.cpus[cpu].counts[0] = read_sums(&machine->cpus[cpu]);
    }
    return &machine->reading;
}

// Lets so many rounds pass on each CPU in a second.
static void pass(struct simulated *machine, u32 rounds, enum rates rates)
{
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        machine->truth += run_rounds(&machine->cpus[cpu], NULL, rounds, rates, &machine->random);
    machine->time += NS;
}

static void add(struct count_log *log, struct simulated *machine, bool first)
{
    count_log_add(log, &request, first, machine->time, take_reading(machine));
}

static void assert_same(const struct count *a, const struct count *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->measured, b->measured);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->slices, b->slices);
    assert_int_equal(a->error, b->error);
    assert_int_equal(a->sums.counted, b->sums.counted);
    assert_true(a->sums.time_squares == b->sums.time_squares);
    assert_true(a->sums.count_squares == b->sums.count_squares);
    assert_true(a->sums.products == b->sums.products);
}

static void sum(const struct count_log *log, double from, double to, struct count_reading *found,
                struct count_log_range *range)
{
    const struct count_request *of;
    assert_true(count_log_sum(log, from, to, &of, found, range));
    assert_string_equal(of->items[0].event->name, "cycles");
}

static void cells_add_up_to_the_whole_exactly(void **state)
{
    static struct simulated machine;
    static struct count_reading before, found;
    struct count_log log;
    struct count_log_range range;
    struct count joined[CPUS] = {0}, last[CPUS];
    (void)state;
    count_log_begin(&log, ROOM);
    begin(&machine, 3);
    pass(&machine, 3, FLAT); // before the first reading
    add(&log, &machine, true);
    before = machine.reading;
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        last[cpu] = before.cpus[cpu].counts[0];
    for (u32 cell = 0; cell < 200; cell++) {
        pass(&machine, cell % 4, (enum rates)(cell % RATES)); // in some nothing passes
        add(&log, &machine, false);
        for (u32 cpu = 0; cpu < CPUS; cpu++) {
            const struct count *now = &machine.reading.cpus[cpu].counts[0];
            struct count one = count_between(&last[cpu], now);
            count_join(&joined[cpu], &one);
            last[cpu] = *now;
        }
    }
    sum(&log, 0, INFINITY, &found, &range);
    assert_int_equal(range.readings, 200);
    assert_true(range.seconds == 200 && range.from == 2 * NS && range.to == 202 * NS);
    assert_int_equal(found.cpu_count, CPUS);
    for (u32 cpu = 0; cpu < CPUS; cpu++) {
        struct count whole =
            count_between(&before.cpus[cpu].counts[0], &machine.reading.cpus[cpu].counts[0]);
        assert_true(whole.error > 0 && whole.error != COUNT_ERROR_UNKNOWN);
        assert_same(&found.cpus[cpu].counts[0], &whole);
        assert_same(&joined[cpu], &whole);
    }
    count_log_free(&log);
}

// Two sessions, with a time between them of which nothing is known.
static void sessions_are_joined_and_gaps_left_out(void **state)
{
    static struct simulated machine;
    static struct count_reading found;
    struct count_log log;
    struct count_log_range range;
    struct count parts[2], joined = {0};
    (void)state;
    count_log_begin(&log, ROOM);
    begin(&machine, 5);
    for (u32 session = 0; session < 2; session++) {
        for (u32 cpu = 0; cpu < CPUS; cpu++)
            pmu_multiplex_begin(multiplex(&machine.cpus[cpu]), 1);
        add(&log, &machine, true);
        for (u32 cell = 0; cell < 10; cell++) {
            pass(&machine, 3, NORMAL);
            add(&log, &machine, false);
        }
        parts[session] = machine.reading.cpus[0].counts[0];
        machine.time += 100 * NS;
    }
    sum(&log, 0, INFINITY, &found, &range);
    assert_true(range.seconds == 20 && range.from == NS && range.to == 121 * NS);
    count_join(&joined, &parts[0]);
    count_join(&joined, &parts[1]);
    assert_same(&found.cpus[0].counts[0], &joined);
    assert_int_equal(joined.slices, parts[0].slices + parts[1].slices);
    const struct count_request *of;
    assert_false(count_log_sum(&log, 30 * NS, 50 * NS, &of, &found, &range)); // the gap
    count_log_free(&log);
}

static void a_range_within_a_cell_is_that_cell(void **state)
{
    static struct simulated machine;
    static struct count_reading found;
    struct count_log log;
    struct count_log_range range;
    (void)state;
    count_log_begin(&log, ROOM);
    begin(&machine, 7);
    for (u32 cell = 0; cell < 5; cell++) {
        add(&log, &machine, cell == 0);
        pass(&machine, 3, FLAT);
    }
    sum(&log, 3.1 * NS, 3.2 * NS, &found, &range);
    assert_true(range.from == 3 * NS && range.to == 4 * NS && range.readings == 1);
    sum(&log, 2.4 * NS, 3.6 * NS, &found, &range); // middles at 2.5 and 3.5
    assert_true(range.from == 2 * NS && range.to == 4 * NS && range.readings == 2);
    assert_true(count_log_end(&log) == 5 * NS);
    count_log_free(&log);
}

// A range that ends where readings were left out keeps its sums; all others become no longer than
// what was left out.
static void memory_is_limited_and_sums_stay(void **state)
{
    static struct simulated machine;
    static struct count_reading first, found;
    struct count_log log;
    struct count_log_range range;
    size_t limit = 40000;
    (void)state;
    count_log_begin(&log, limit);
    begin(&machine, 9);
    add(&log, &machine, true);
    first = machine.reading;
    for (u32 cell = 0; cell < 1000; cell++) {
        pass(&machine, 1, FLAT);
        add(&log, &machine, false);
        assert_in_range(log.bytes, 0, limit);
    }
    assert_true(log.thinned > 500);
    assert_int_equal(log.thinned + log.count, 1001);
    sum(&log, 0, INFINITY, &found, &range);
    struct count whole =
        count_between(&first.cpus[0].counts[0], &machine.reading.cpus[0].counts[0]);
    assert_same(&found.cpus[0].counts[0], &whole);
    assert_true(range.seconds == 1000);
    sum(&log, 991 * NS, INFINITY, &found, &range); // the newest are all there
    assert_true(range.seconds == 10);
    for (u32 session = 0; session < 2000; session++, machine.time += NS) {
        add(&log, &machine, true); // sessions of one reading each
        assert_in_range(log.bytes, 0, limit);
    }
    count_log_free(&log);
}

static void what_makes_no_sense_is_left_out(void **state)
{
    static struct simulated machine;
    static struct count_reading found;
    const struct count_request *of;
    struct count_log log;
    struct count_log_range range;
    (void)state;
    count_log_begin(&log, ROOM);
    begin(&machine, 11);
    assert_false(count_log_sum(&log, 0, INFINITY, &of, &found, &range));
    assert_true(count_log_end(&log) == -INFINITY);
    add(&log, &machine, true);
    assert_false(count_log_sum(&log, 0, INFINITY, &of, &found, &range)); // there is no cell yet
    for (u32 i = 0; i < 3; i++) {
        const double times[] = {NAN, INFINITY, NS}; // the last is not later
        machine.time = times[i];
        add(&log, &machine, false);
        assert_int_equal(log.count, 1);
    }
    machine.time = NS;
    pass(&machine, 4, FLAT);
    add(&log, &machine, false);
    assert_false(count_log_sum(&log, 5 * NS, 4 * NS, &of, &found, &range));
    assert_false(count_log_sum(&log, NAN, NAN, &of, &found, &range));
    sum(&log, 0, INFINITY, &found, &range);
    assert_int_equal(range.readings, 1);
    count_log_free(&log);
}

// Returns how many ranges, none of which has a part of another, hold the truth within their error.
static u32 held(enum rates rates, u32 ranges)
{
    static struct simulated machine;
    static struct count_reading found;
    struct count_log log;
    u32 count = 0;
    count_log_begin(&log, ROOM);
    begin(&machine, 100 + rates);
    add(&log, &machine, true);
    for (u32 i = 0; i < ranges; i++) {
        double from = machine.time;
        u32 cells = 1 + (u32)(unit_random(&machine.random) % 8);
        u32 rounds = 2 + (u32)(unit_random(&machine.random) % 4);
        struct count_log_range range;
        machine.truth = 0;
        for (u32 cell = 0; cell < cells; cell++) {
            pass(&machine, rounds, rates);
            add(&log, &machine, false);
        }
        sum(&log, from, machine.time, &found, &range);
        assert_int_equal(range.readings, cells);
        struct count all = count_total(&found, 0);
        u64 off = all.count > machine.truth ? all.count - machine.truth : machine.truth - all.count;
        count += off <= all.error;
        assert_true(all.error != COUNT_ERROR_UNKNOWN);
        assert_true(all.slices < 24 || all.error < 2 * all.count); // it says something
    }
    count_log_free(&log);
    return count;
}

static void ranges_hold_the_truth_as_surely_as_they_say(void **state)
{
    (void)state;
    for (enum rates rates = 0; rates < RATES; rates++) {
        u32 count = held(rates, 1000);
        print_message("rates %d: %u of 1000 ranges hold the truth\n", rates, count);
        assert_in_range(count, 990, 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_add_up_to_the_whole_exactly),
        cmocka_unit_test(sessions_are_joined_and_gaps_left_out),
        cmocka_unit_test(a_range_within_a_cell_is_that_cell),
        cmocka_unit_test(memory_is_limited_and_sums_stay),
        cmocka_unit_test(what_makes_no_sense_is_left_out),
        cmocka_unit_test(ranges_hold_the_truth_as_surely_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
