// SPDX-License-Identifier: MIT
// What watching costs, from samples whose numbers are known.
#include "unit.h"

#include "gateway/own_programs.h"
#include "gateway/watching.h"
#include "samples/sampled_events.h"
#include "tools/kov.h"

#include <math.h>
#include <string.h>

#define HERTZ 512000000u
#define PERIOD 1000u
#define NS 1e9

enum { INIT = 1, DCI, NET, SHELL, IMPOSTOR };

struct settings settings;

static struct snapshot snapshot;
static struct sample_set session;
static struct watching watching;
static struct history *history;

// As in own_programs.c: init's parent is 0.
bool is_own_program(const struct snapshot *of, u32 pid)
{
    const struct process_info *process = snapshot_process(of, pid);
    const struct process_info *parent =
        process == NULL ? NULL : snapshot_process(of, process->parent);
    return process != NULL && parent != NULL && parent->parent != 0;
}

static void add_process(u32 pid, u32 parent, const char *name)
{
    char text[16];
    snprintf(text, sizeof(text), "%s", name);
    snapshot_add_process(&snapshot,
                         &(struct process_info){.pid = pid, .parent = parent, .name = text});
}

static int begin(void **state)
{
    (void)state;
    memset(&snapshot, 0, sizeof(snapshot));
    memset(&watching, 0, sizeof(watching));
    memset(&session, 0, sizeof(session));
    add_process(INIT, 0, "init");
    add_process(DCI, INIT, "dci");
    add_process(NET, INIT, "net");
    add_process(SHELL, INIT, "shell");
    add_process(IMPOSTOR, SHELL, "dci");
    watching_take(&watching, &snapshot);
    history = history_new(HISTORY_BYTES_MIN, 0, HERTZ);
    return 0;
}

static int end(void **state)
{
    (void)state;
    history_free(history);
    snapshot_free(&snapshot);
    samples_free(&session);
    return 0;
}

static void begin_session(const char *name)
{
    struct sampled_events events = {.events = {{.period = PERIOD}}, .count = 1};
    snprintf(events.events[0].name, sizeof(events.events[0].name), "%s", name);
    samples_stream(&session, 0, 0);
    history_begin_session(history, 0, &events);
}

static void add(u32 pid, u32 flags, u32 count)
{
    for (u32 i = 0; i < count; i++)
        history_add(history,
                    &(struct sample){.time = 1, .pid = pid, .weight = PERIOD, .flags = flags});
    samples_stream(&session, 0, 0)->taken += count;
}

static json_t *put(double seconds)
{
    json_t *data = json_object();
    watching_put(&watching, history, &snapshot, seconds * NS, HERTZ, data);
    return data;
}

static json_t *part_of(const json_t *data, const char *name)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(data, "parts"), i,
                       part) if (strcmp(json_string_value(json_object_get(part, "name")), name) ==
                                 0) return part;
    print_error("no part %s\n", name);
    assert_true(false);
    return NULL;
}

static double number_of(const json_t *data, const char *name, const char *field)
{
    const json_t *value = json_object_get(part_of(data, name), field);
    return value == NULL ? NAN : json_number_value(value);
}

static void near(double value, double expected)
{
    assert_true(fabs(value - expected) <= fabs(expected) * 1e-4);
}

static void the_cost_is_what_the_samples_say(void **state)
{
    (void)state;
    begin_session("instructions");
    add(DCI, 0, 400);
    add(DCI, SYS_SAMPLE_KERNEL, 500); // the kernel at work for it
    add(SHELL, 0, 50);
    add(IMPOSTOR, 0, 25);
    add(0, SYS_SAMPLE_IDLE | SYS_SAMPLE_KERNEL, 100);
    assert_true(history_close_cell(history, 2 * (u64)HERTZ, &session));
    json_t *data = put(2);
    assert_string_equal(json_string_value(json_object_get(data, "event")), "instructions");
    near(number_of(data, "dci", "value"), 900 * PERIOD / 2.0);
    near(number_of(data, "dci", "error"), 2.576 * sqrt(900) * PERIOD / 2);
    assert_false(json_is_true(json_object_get(part_of(data, "dci"), "bound")));
    near(number_of(data, "idle", "value"), 100 * PERIOD / 2.0);
    assert_true(json_is_true(json_object_get(part_of(data, "idle"), "bound")));
    // No sample of 1,075 is net's: that may be chance of 1 in 200, up to this part.
    assert_true(number_of(data, "net", "value") == 0);
    near(number_of(data, "net", "error"), (1 - pow(0.005, 1.0 / 1075)) * 1075 * PERIOD / 2);
    assert_true(json_is_true(json_object_get(part_of(data, "net"), "bound")));
    assert_int_equal(json_array_size(json_object_get(data, "parts")), 3); // no impostor
    json_decref(data);
}

static void what_is_not_measured_is_no_0(void **state)
{
    (void)state;
    begin_session("larx");
    add(DCI, 0, 400);
    assert_true(history_close_cell(history, HERTZ, &session));
    json_t *data = put(1);
    assert_non_null(json_object_get(data, "why"));
    assert_true(isnan(number_of(data, "dci", "value")) && isnan(number_of(data, "idle", "value")));
    assert_int_equal(number_of(data, "dci", "pid"), DCI);
    json_decref(data);
    history_free(history);
    history = NULL;
    data = put(1);
    assert_non_null(json_object_get(data, "why"));
    json_decref(data);
}

static void run_cycles_stand_in_for_instructions(void **state)
{
    (void)state;
    begin_session(RUN_CYCLES_NAME);
    add(DCI, 0, 10);
    assert_true(history_close_cell(history, HERTZ, &session));
    json_t *data = put(1);
    assert_string_equal(json_string_value(json_object_get(data, "event")), RUN_CYCLES_NAME);
    near(number_of(data, "dci", "value"), 10 * PERIOD);
    json_decref(data);
}

static void the_event_with_more_samples_of_the_monitor_tells(void **state)
{
    static const char *const names[] = {"instructions", RUN_CYCLES_NAME};
    struct sampled_events events = {.count = 2};
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        events.events[i].period = PERIOD;
        snprintf(events.events[i].name, sizeof(events.events[i].name), "%s", names[i]);
    }
    samples_stream(&session, 0, 1);
    history_begin_session(history, 0, &events);
    add(DCI, 0, 1);
    add(SHELL, 0, 100);
    for (u32 i = 0; i < 50; i++)
        history_add(history, &(struct sample){.time = 1, .pid = DCI, .index = 1, .weight = PERIOD});
    samples_stream(&session, 0, 1)->taken = 50;
    assert_true(history_close_cell(history, HERTZ, &session));
    json_t *data = put(1);
    assert_string_equal(json_string_value(json_object_get(data, "event")), RUN_CYCLES_NAME);
    near(number_of(data, "dci", "value"), 50 * PERIOD);
    json_decref(data);
}

static void a_server_that_was_started_again_is_known_by_both_numbers(void **state)
{
    (void)state;
    snapshot_free(&snapshot);
    memset(&snapshot, 0, sizeof(snapshot));
    add_process(INIT, 0, "init");
    add_process(NET, INIT, "net");
    add_process(77, INIT, "dci");
    watching_take(&watching, &snapshot);
    assert_int_equal(watching.count, 3);
    assert_true(watching.programs[0].ended && !watching.programs[2].ended);
    for (u32 pid = 100; pid < 200; pid++) { // one that dies over and over
        add_process(pid, INIT, "dci");
        watching_take(&watching, &snapshot);
    }
    assert_int_equal(watching.count, WATCHING_MAX);
    assert_int_equal(watching.programs[WATCHING_MAX - 1].pid, 199);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_cost_is_what_the_samples_say, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_measured_is_no_0, begin, end),
        cmocka_unit_test_setup_teardown(run_cycles_stand_in_for_instructions, begin, end),
        cmocka_unit_test_setup_teardown(the_event_with_more_samples_of_the_monitor_tells, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_server_that_was_started_again_is_known_by_both_numbers,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
