// SPDX-License-Identifier: MIT
// The history of a machine, against all samples that it was ever given.
#include "unit.h"

#include "history_made.h"

#include <math.h>

static void add(u64 time, u32 event, coid_t coid, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        struct sample sample = sample_at(time, event, coid);
        history_add(history, &sample);
        samples_stream(&session, sample.cpu, event)->taken++;
    }
}

static u64 samples_of(const struct site_sums *sums, u32 event, coid_t coid)
{
    u64 samples = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const struct site *site = &sums->sums[i].site;
        if (site->event == event && site->coid == coid &&
            site->kind == (coid == 0 ? SITE_ALL : SITE_OBJECT))
            samples += sums->sums[i].samples;
    }
    return samples;
}

static u64 taken(const struct site_sums *sums, u32 event)
{
    u64 taken = 0;
    for (size_t i = 0; i < sums->stream_count; i++)
        taken += sums->streams[i].event == event ? sums->streams[i].counts.taken : 0;
    return taken;
}

// Samples in a range (coid 0: all), which must be there; *range may be NULL.
static u64 in_range(double from, double to, u32 event, coid_t coid, struct history_range *range)
{
    struct site_sums sums;
    struct history_range own;
    site_sums_begin(&sums, SITES_MAX);
    bool got = history_range(history, from, to, &sums, range == NULL ? &own : range);
    u64 samples = samples_of(&sums, event, coid);
    if (got && coid == 0)
        assert_int_equal(taken(&sums, event), samples);
    site_sums_free(&sums);
    return samples;
}

// ---- cells -------------------------------------------------------------------------------------

static void a_range_is_its_cells(void **state)
{
    struct history_range range;
    (void)state;
    for (u32 i = 0; i < 20; i++) { // seconds 10 … 30
        add(now + SECOND / 2, 0, 16, i + 1);
        add(now + SECOND / 2, 1, 32, 1);
        second();
    }
    assert_int_equal(in_range(ns(12), ns(15), 0, 16, &range), 3 + 4 + 5);
    assert_int_equal(range.cells, 3);
    assert_true(range.from == ns(12) && range.to == ns(15));
    assert_true(range.seconds == 3 && range.resolution == 1);
    // Cells are there whole; parts that meet share none.
    assert_int_equal(in_range(ns(12.4), ns(15.6), 0, 0, &range), 3 + 4 + 5 + 6);
    assert_true(range.from == ns(12) && range.to == ns(16));
    assert_int_equal(in_range(ns(15.6), ns(17), 0, 0, NULL), 7);
    assert_int_equal(in_range(ns(15.6), ns(15.7), 0, 0, &range), 6);
    assert_true(range.from == ns(15) && range.cells == 1);
    assert_int_equal(in_range(ns(12.1), ns(12.2), 1, 32, NULL), 1);
    assert_int_equal(in_range(-1e300, 1e300, 0, 0, &range), 210);
    assert_true(range.from == ns(10) && range.to == ns(30));
    assert_int_equal(in_range(ns(1), ns(10), 0, 0, &range), 0);
    assert_int_equal(range.cells, 0);
    assert_int_equal(in_range(ns(30), ns(90), 0, 0, NULL), 0);
    assert_int_equal(in_range(ns(15), ns(12), 0, 0, NULL), 0);
    assert_int_equal(in_range(NAN, ns(12), 0, 0, NULL), 0);
    assert_int_equal(in_range(ns(12), NAN, 0, 0, NULL), 0);
}

static void late_samples_go_where_they_belong(void **state)
{
    (void)state;
    add(BOOT, 0, 16, 1); // older than the session: the first cell
    second();
    second();
    add(now - SECOND / 2, 0, 16, 2); // of the cell before
    add(now - 5 * SECOND, 0, 16, 4); // of one that is packed
    add(now + SECOND / 2, 0, 16, 8);
    add(UINT64_MAX, 0, 16, 16);
    second();
    assert_int_equal(in_range(ns(10), ns(11), 0, 16, NULL), 1);
    struct site_sums sums;
    struct history_range range;
    site_sums_begin(&sums, SITES_MAX);
    assert_true(history_range(history, ns(11), ns(12), &sums, &range));
    assert_int_equal(samples_of(&sums, 0, 16), 2 + 4);
    site_sums_clear(&sums);
    assert_true(history_range(history, ns(12), ns(13), &sums, &range));
    assert_int_equal(samples_of(&sums, 0, 16), 8 + 16);
    site_sums_free(&sums);
    assert_int_equal(history_account(history).late, 1 + 4);
}

// What was counted by object stands beside the samples, and knows how long it was counted.
static void exact_counts_have_their_own_time(void **state)
{
    struct site object = {.kind = SITE_OBJECT, .pid = 7, .coid = 48, .cpu = 1};
    struct history_range range;
    struct site_sums sums;
    u64 counted = 0;
    (void)state;
    u32 number = history_counted(history, "drefs");
    assert_int_equal(history_counted(history, "drefs"), number);
    assert_int_equal(history_event(history, "drefs"), number);
    for (u32 i = 0; i < 10; i++) {
        add(now, 0, 16, 1);
        if (i >= 6) {
            history_count(history, number, &object, 100 + i);
            history_count_end(history, number, SECOND);
        }
        second();
    }
    site_sums_begin(&sums, SITES_MAX);
    assert_true(history_range(history, ns(10), ns(20), &sums, &range));
    assert_true(site_sums_covered(&sums, number) == 4 * SECOND);
    assert_true(site_sums_covered(&sums, 0) == 10 * SECOND);
    assert_int_equal(samples_of(&sums, 0, 16), 10);
    for (size_t i = 0; i < sums.count; i++)
        if (sums.sums[i].site.event == number) {
            assert_int_equal(sums.sums[i].samples, 0);
            assert_int_equal(sums.sums[i].events, 106 + 107 + 108 + 109);
            counted |= (u64)1 << sums.sums[i].site.kind;
        }
    assert_int_equal(counted, 1 << SITE_ALL | 1 << SITE_PROCESS | 1 << SITE_OBJECT);
    site_sums_free(&sums);
}

static void times_that_go_back_change_nothing(void **state)
{
    (void)state;
    add(now, 0, 16, 3);
    assert_false(history_close_cell(history, now, &session));
    assert_false(history_close_cell(history, 0, &session));
    assert_false(history_gap(history, now - 2, now - 1));
    assert_false(history_gap(history, now - 1, now));
    assert_false(history_gap(history, now + 2, now + 2));
    second();
    assert_false(history_close_cell(history, now - 1, &session));
    second();
    assert_int_equal(in_range(ns(10), ns(12), 0, 16, NULL), 3);
    assert_null(history_new(HISTORY_BYTES_MIN - 1, 0, HERTZ));
    assert_null(history_new(HISTORY_BYTES_MIN, 0, 0));
    struct history *empty = history_new(HISTORY_BYTES_MIN, 0, HERTZ);
    assert_false(history_close_cell(empty, 5, &session));
    assert_false(history_gap(empty, 5, 6));
    history_add(empty, &(struct sample){0});
    assert_int_equal(history_account(empty).refused, 1);
    history_free(empty);
}

static void gaps_are_no_time(void **state)
{
    struct history_interval gaps[4];
    struct history_range range;
    (void)state;
    add(now, 0, 16, 1);
    second();
    add(now, 0, 16, 2);
    assert_true(history_gap(history, now + SECOND / 2, now + 7 * SECOND)); // 11.5 … 18
    now += 7 * SECOND;
    add(now, 0, 16, 4);
    second();
    second();
    assert_int_equal(in_range(ns(10), ns(20), 0, 16, &range), 7);
    assert_true(range.seconds == 3.5 && range.from == ns(10) && range.to == ns(20));
    assert_int_equal(history_gaps(history, ns(0), ns(30), gaps, 4), 1);
    assert_true(gaps[0].from == ns(11.5) && gaps[0].to == ns(18));
    assert_int_equal(history_gaps(history, ns(18), ns(30), gaps, 4), 0);
    assert_int_equal(history_gaps(history, ns(12), ns(13), gaps, 0), 0);
    // The connection was lost after the last cell had ended, and the machine was last heard before.
    assert_true(history_gap(history, now - SECOND, now + SECOND)); // 20 … 21
    now += SECOND;
    assert_int_equal(in_range(ns(10), ns(20), 0, 16, NULL), 7);
    assert_int_equal(history_gaps(history, ns(18.5), ns(30), gaps, 4), 1);
    assert_true(gaps[0].from == ns(20) && gaps[0].to == ns(21));
    for (u32 i = 0; i < 1000; i++) {
        assert_true(history_gap(history, now, now + SECOND));
        now += 2 * SECOND;
    }
    assert_int_equal(history_gaps(history, ns(0), INFINITY, gaps, 4), 4);
}

// ---- sessions ----------------------------------------------------------------------------------

static void events_keep_their_numbers(void **state)
{
    static const struct sampled_events others = {
        .events = {{.name = "cycles", .mode = 2}, {.name = "dtlb-miss"}, {.name = "dtlb-miss"}},
        .count = 3};
    struct sample_set second_session = {0};
    struct site_sums sums;
    struct history_range range;
    u32 count;
    (void)state;
    add(now, 1, 16, 5);
    samples_stream(&session, 0, 1)->lost = 9;
    second();
    history_begin_session(history, now, &others);
    struct sample sample = sample_at(now, 0, 16);
    history_add(history, &sample);
    sample.index = 1;
    history_add(history, &sample);
    sample.index = 3;
    history_add(history, &sample);
    samples_stream(&second_session, 0, 0)->taken = 7; // more than before, and since its begin
    samples_stream(&second_session, 0, 0)->lost = 9 + 2;
    samples_stream(&second_session, 0, 0)->lost_before = 9;
    now += SECOND;
    assert_true(history_close_cell(history, now, &second_session));
    const struct sampled_event *named = history_events(history, &count);
    assert_int_equal(count, 4); // the one that is there twice has two
    assert_string_equal(named[2].name, "dtlb-miss");
    assert_int_equal(history_event(history, "cycles:u"), 1);
    assert_int_equal(history_event(history, "dtlb-miss"), 2);
    assert_int_equal(history_event(history, "cycles"), HISTORY_NO_EVENT);
    assert_int_equal(history_account(history).refused, 1);
    site_sums_begin(&sums, SITES_MAX);
    assert_true(history_range(history, ns(11), ns(12), &sums, &range));
    assert_int_equal(samples_of(&sums, 1, 16), 1);
    assert_int_equal(samples_of(&sums, 2, 16), 1);
    assert_int_equal(taken(&sums, 1), 7);
    assert_int_equal(sums.streams[0].counts.lost, 2);
    assert_false(site_sums_sampled(&sums, 0));
    assert_true(site_sums_sampled(&sums, 3));
    site_sums_free(&sums);
    samples_free(&second_session);
}

static void any_number_of_events_may_come(void **state)
{
    u32 count;
    (void)state;
    for (u32 i = 0; i < 200; i++) {
        struct sampled_events one = {0};
        one.count = 1;
        snprintf(one.events[0].name, sizeof(one.events[0].name), "event-%u", (unsigned)i);
        history_begin_session(history, now, &one);
        struct sample sample = sample_at(now, 0, 16);
        history_add(history, &sample);
    }
    second();
    second();
    history_events(history, &count);
    assert_int_equal(count, SITE_EVENTS_MAX);
    assert_int_equal(history_account(history).refused, 200 - (SITE_EVENTS_MAX - 2));
}

// ---- memory ------------------------------------------------------------------------------------

static void check_account(void)
{
    struct history_account account = history_account(history);
    assert_true(account.bytes <= account.limit);
    assert_true(allocated() - allocated_before <= account.limit);
}

// Adds a reading of all counters of all CPUs, of a new session each tenth time.
static void add_reading(u64 time)
{
    static const struct event_info event = {.name = "cycles"};
    static struct count_request request = {.item_count = COUNT_ITEMS_MAX};
    static struct count_reading reading = {.cpu_count = ORRERY_MAX_CPUS, .items = COUNT_ITEMS_MAX};
    for (u32 i = 0; i < COUNT_ITEMS_MAX; i++)
        request.items[i].event = &event;
    reading.time = time;
    history_counts(history, &request, draw(10) == 0, &reading);
}

static void memory_is_bounded_whatever_comes(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000000; i++) {
        struct sample sample = {.time = now + draw(3 * SECOND) - SECOND,
                                .cpu = (u32)draw(100) == 0 ? (u32)draw(1u << 31) : (u32)draw(8),
                                .index = (u32)draw(3),
                                .pid = (u32)draw((u64)1 << 32),
                                .coid = unit_random(&random_state),
                                .weight = draw(1u << 20),
                                .flags = (u32)draw((u64)1 << 32)};
        history_add(history, &sample);
        if (i % 2000 == 0) {
            second();
            add_reading(now);
            check_account();
        }
        if (i % 1000 == 0)
            for (u32 metric = 0; metric < metric_count; metric++)
                history_metric(history, metric, (u32)draw(ORRERY_MAX_CPUS), ns(i + 1),
                               &(struct metric_value){1, 1, 1, 0});
    }
    struct history_account account = history_account(history);
    assert_true(account.forgotten > 300 && account.from > ns(300));
    assert_true(account.refused > 300000);
    const struct count_log *log = history_count_log(history);
    assert_true(log->thinned > 0 && log->count > 1 && log->thinned + log->count == 500);
}

// A sample a second and object, for 16 hours: what is joined and what is forgotten.
static void old_cells_are_joined_and_then_forgotten(void **state)
{
    enum { SECONDS = 60000, OBJECTS = 16 };
    struct history_range range;
    struct history_account account;
    (void)state;
    for (u32 i = 0; i < SECONDS; i++) {
        for (u32 object = 1; object <= OBJECTS; object++)
            add(now, 0, 16 * object, 1);
        second();
        if (i % 5000 == 0)
            check_account();
    }
    account = history_account(history);
    assert_true(account.forgotten > 0 && account.from > ns(10));
    assert_true(account.to == ns(10 + SECONDS));
    assert_true(account.cells[0] >= 120 && account.cells[1] >= 60 && account.cells[2] > 60);
    u64 kept = (u64)((account.to - account.from) / 1e9);
    assert_int_equal(in_range(account.from, account.to, 0, 0, &range), kept * OBJECTS);
    assert_int_equal(in_range(account.from, account.to, 0, 48, &range), kept);
    assert_true(range.from == account.from && range.to == account.to);
    assert_true(range.resolution == 60 && fabs(range.seconds - (double)kept) < 1e-6);
    assert_int_equal(in_range(account.to - ns(100), account.to, 0, 48, &range), 100);
    assert_true(range.resolution == 1);
    in_range(ns(12), ns(15), 0, 0, &range);
    assert_int_equal(range.cells, 0);
}

static void visit(void *context, double from, double to, const struct site_sums *sums)
{
    double *expected = context;
    assert_true(from == *expected && to == *expected + ns(1));
    assert_int_equal(samples_of(sums, 0, 16), 1);
    *expected = to;
}

static void cells_are_visited_in_order(void **state)
{
    double at = ns(13);
    (void)state;
    for (u32 i = 0; i < 10; i++) {
        add(now, 0, 16, 1);
        second();
    }
    history_cells(history, ns(13), ns(18), visit, &at);
    assert_true(at == ns(18));
}

// ---- metrics -----------------------------------------------------------------------------------

static void metrics_have_a_track_each(void **state)
{
    struct track_node nodes[4];
    (void)state;
    assert_null(history_track(history, 0, ALL_CPUS));
    assert_true(history_metric(history, 0, ALL_CPUS, 5, &(struct metric_value){2, -1, 0.5, 0}));
    assert_true(history_metric(history, 0, 1, 5, &(struct metric_value){3, 0.25, 1, 0}));
    assert_false(history_metric(history, 0, 1, 5, &(struct metric_value){3, 0.25, 1, 0}));
    assert_false(history_metric(history, METRICS_MAX, 1, 5, &(struct metric_value){0}));
    assert_false(history_metric(history, 0, ORRERY_MAX_CPUS, 5, &(struct metric_value){0}));
    assert_null(history_track(history, 1, ALL_CPUS));
    assert_null(history_track(history, UINT32_MAX, 0));
    assert_int_equal(track_range(history_track(history, 0, ALL_CPUS), 0, 10, nodes, 4), 1);
    assert_true(nodes[0].last == 2 && isnan(nodes[0].error) && nodes[0].measured == 0.5f);
    assert_int_equal(track_range(history_track(history, 0, 1), 0, 10, nodes, 4), 1);
    assert_true(nodes[0].last == 3 && nodes[0].error == 0.25f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_range_is_its_cells, begin, end),
        cmocka_unit_test_setup_teardown(late_samples_go_where_they_belong, begin, end),
        cmocka_unit_test_setup_teardown(exact_counts_have_their_own_time, begin, end),
        cmocka_unit_test_setup_teardown(times_that_go_back_change_nothing, begin, end),
        cmocka_unit_test_setup_teardown(gaps_are_no_time, begin, end),
        cmocka_unit_test_setup_teardown(events_keep_their_numbers, begin, end),
        cmocka_unit_test_setup_teardown(any_number_of_events_may_come, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_bounded_whatever_comes, begin, end),
        cmocka_unit_test_setup_teardown(old_cells_are_joined_and_then_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(cells_are_visited_in_order, begin, end),
        cmocka_unit_test_setup_teardown(metrics_have_a_track_each, begin, end),
    };
    return cmocka_run_group_tests_name("kov_history", tests, NULL, NULL);
}
