// SPDX-License-Identifier: MIT
// Configurations of machines: those that are there are good;
// whatever is wrong with one is said, with its line.
#include <models/machine.h>

#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER "pmu/model/machines/"

static char good[8192];
static char path[64];

static int read_good(void **state)
{
    (void)state;
    FILE *file = fopen(FOLDER "970fx.conf", "r");
    assert_non_null(file);
    good[fread(good, 1, sizeof(good) - 1, file)] = 0;
    fclose(file);
    snprintf(path, sizeof(path), "/tmp/machine-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    return close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static bool load(const char *text, size_t bytes, struct machine *machine, char *error,
                 size_t error_bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
    return machine_load(path, machine, error, error_bytes);
}

// The good configuration with the first `from` replaced by `to`.
static const char *with(const char *from, const char *to)
{
    static char text[sizeof(good) + 1024];
    const char *at = strstr(good, from);
    if (!at)
        fail_msg("no '%s' in 970fx.conf", from);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    return text;
}

static u32 line_of(const char *what)
{
    u32 line = 1;
    for (const char *at = good; at < strstr(good, what); at++)
        line += *at == '\n';
    return line;
}

// `from` replaced by `to` is refused, with this message; line 0: of the whole file.
static void refused(const char *from, const char *to, u32 line, const char *message)
{
    struct machine machine, before;
    memset(&machine, 0x5a, sizeof(machine));
    before = machine;
    char error[256], expected[256];
    const char *text = with(from, to);
    if (load(text, strlen(text), &machine, error, sizeof(error)))
        fail_msg("'%s' instead of '%s' was accepted", to, from);
    if (line > 0)
        snprintf(expected, sizeof(expected), "%s:%u: %s", path, line, message);
    else
        snprintf(expected, sizeof(expected), "%s: %s", path, message);
    assert_string_equal(error, expected);
    assert_memory_equal(&machine, &before, sizeof(machine));
}

static void the_970fx_is_as_published(void **state)
{
    (void)state;
    struct machine machine;
    char error[256] = "";
    if (!machine_load(FOLDER "970fx.conf", &machine, error, sizeof(error)))
        fail_msg("%s", error);
    const struct model_geometry *geometry = &machine.geometry;
    assert_string_equal(machine.name, "970fx");
    assert_int_equal(geometry->page_bytes, 4096);
    assert_int_equal(geometry->line_bytes, 128);
    assert_int_equal(geometry->tlb_entries, 1024);
    assert_int_equal(geometry->tlb_ways, 4);
    assert_int_equal(geometry->l1i_bytes, 65536);
    assert_int_equal(geometry->l1i_ways, 1);
    assert_int_equal(geometry->l1d_bytes, 32768);
    assert_int_equal(geometry->l1d_ways, 2);
    assert_int_equal(geometry->l2_bytes, 524288);
    assert_int_equal(geometry->l2_ways, 8);
    assert_int_equal(geometry->local_entries, 16384);
    assert_int_equal(geometry->global_entries, 16384);
    assert_int_equal(geometry->history_bits, 11);
    assert_int_equal(geometry->cost[MODEL_INSTRUCTIONS], 1);
    assert_int_equal(geometry->cost[MODEL_CYCLES], 0);
    assert_int_equal(geometry->cost[MODEL_MISPREDICTED], 13);
    assert_int_equal(machine.counters[MODEL_INSTRUCTIONS], 0x99);
    assert_int_equal(machine.counters[MODEL_STORES], 0x82);
}

// Whether each of the events can have a counter of its own.
static bool fits(const struct machine *machine, const enum model_event *events, u64 count, u64 used)
{
    if (count == 0)
        return true;
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++) {
        u64 bit = 1UL << counter;
        if ((machine->counters[events[0]] & bit) && !(used & bit) &&
            fits(machine, events + 1, count - 1, used | bit))
            return true;
    }
    return false;
}

// S000 §4.2, each with cycles and instructions beside,
// by which groups are switched and rates are given.
static void each_of_the_five_metrics_fits_into_one_group(void **state)
{
    (void)state;
    const enum model_event metrics[][4] = {
        {MODEL_INSTRUCTIONS, MODEL_CYCLES, MODEL_STCX, MODEL_STCX_FAILED},
        {MODEL_INSTRUCTIONS, MODEL_CYCLES, MODEL_LARX, MODEL_STCX},
        {MODEL_INSTRUCTIONS, MODEL_CYCLES, MODEL_BRANCHES, MODEL_MISPREDICTED},
        {MODEL_INSTRUCTIONS, MODEL_CYCLES, MODEL_ITLB_MISS, MODEL_DTLB_MISS},
    };
    const enum model_event conflict[] = {MODEL_ITLB_MISS, MODEL_L2_MISS,     MODEL_L1I_MISS,
                                         MODEL_STCX,      MODEL_STCX_FAILED, MODEL_TAKEN,
                                         MODEL_BRANCHES};
    const char *const files[] = {FOLDER "970fx.conf", FOLDER "power9.conf"};
    for (u32 file = 0; file < ARRAY_SIZE(files); file++) {
        struct machine machine;
        char error[256] = "";
        if (!machine_load(files[file], &machine, error, sizeof(error)))
            fail_msg("%s", error);
        for (u32 i = 0; i < ARRAY_SIZE(metrics); i++) {
            if (!fits(&machine, metrics[i], 4, 0))
                fail_msg("%s: metric %u does not fit", files[file], i);
        }
        assert_false(fits(&machine, conflict, ARRAY_SIZE(conflict), 0));
    }
}

static void values_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    u32 ways = line_of("tlb.ways"), name = line_of("name ="), larx = line_of("counters.larx");
    refused("tlb.ways = 4", "tlb.ways = 3", ways, "tlb.ways: 3 is no power of two");
    refused("tlb.ways = 4", "tlb.ways = 0", ways, "tlb.ways: 0 is not within 1 … 64");
    refused("tlb.ways = 4", "tlb.ways = 128", ways, "tlb.ways: 128 is not within 1 … 64");
    refused("tlb.ways = 4", "tlb.ways = -4", ways, "tlb.ways: '-4' is no number");
    refused("tlb.ways = 4", "tlb.ways = 4x", ways, "tlb.ways: '4x' is no number");
    refused("tlb.ways = 4", "tlb.ways = 4 4", ways, "tlb.ways: '4 4' is no number");
    refused("tlb.ways = 4", "tlb.ways = 99999999999999999999999999", ways,
            "tlb.ways: '99999999999999999999999999' is no number");
    refused("tlb.entries = 1K", "tlb.entries = 18014398509481985K", line_of("tlb.entries"),
            "tlb.entries: '18014398509481985K' is no number"); // 2^64 + 1024
    refused("tlb.ways = 4", "tlb.ways =", ways, "tlb.ways: has no value");
    refused("tlb.ways = 4", "tlb.ways 4", ways, "'tlb.ways 4' is no 'key = value'");
    refused("tlb.ways = 4", "tlb.weighs = 4", ways, "no key 'tlb.weighs'");
    refused("tlb.ways = 4", "= 4", ways, "no key ''");
    refused("page.bytes = 4K", "page.bytes = 2K", line_of("page.bytes"),
            "page.bytes: 2048 is not within 4096 … 1073741824");
    refused("cost.l2-miss = 200", "cost.l2-miss = 1M", line_of("cost.l2-miss"),
            "cost.l2-miss: 1048576 is not within 0 … 100000");
    refused("name = 970fx", "name = 970 fx", name, "name: only printable ASCII without spaces");
    refused("name = 970fx", "name = 01234567890123456789012345678901", name,
            "name: has to have 1 to 31 letters");
    refused("counters.larx = 3", "counters.larx = 8", larx,
            "counters.larx: '8' is neither 'none' nor numbers 0 … 7 with spaces between");
    refused("counters.larx = 3", "counters.larx = 3,4", larx,
            "counters.larx: '3,4' is neither 'none' nor numbers 0 … 7 with spaces between");
    refused("counters.larx = 3", "counters.larx = 3 4 3", larx, "counters.larx: counter 3 twice");
}

static void what_is_missing_or_twice_there_is_named(void **state)
{
    (void)state;
    u32 ways = line_of("tlb.ways");
    char message[64];
    snprintf(message, sizeof(message), "tlb.ways: already set in line %u", ways);
    refused("tlb.ways = 4\n", "", 0, "tlb.ways: missing");
    refused("name = 970fx\n", "", 0, "name: missing");
    refused("cost.stores = 0\n", "", 0, "cost.stores: missing");
    refused("counters.stores = 1 7\n", "", 0, "counters.stores: missing");
    refused("tlb.ways = 4\n", "tlb.ways = 4\ntlb.ways = 4\n", ways + 1, message);
    refused("cost.larx = 7", "cost.cycles = 7", line_of("cost.larx"), "no key 'cost.cycles'");
}

static void values_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    refused("tlb.entries = 1K", "tlb.entries = 2", line_of("tlb.ways"),
            "tlb.ways: 4 is more than the 2 tlb.entries");
    refused("l1d.bytes = 32K", "l1d.bytes = 128", line_of("l1d.ways"),
            "l1d.ways: 2 is more than the 1 lines");
    refused("l2.bytes = 512K", "l2.bytes = 16", line_of("l2.ways"),
            "l2.ways: 8 is more than the 0 lines");
    refused("branch.history.bits = 11", "branch.history.bits = 15", line_of("branch.history"),
            "branch.history.bits: 32768 is more than the 16384 branch.global.entries for 2^bits "
            "histories");
}

static void lines_without_an_end_are_refused(void **state)
{
    (void)state;
    char junk[400];
    memset(junk, ' ', sizeof(junk) - 1);
    junk[sizeof(junk) - 1] = 0;
    refused("tlb.ways = 4", junk, line_of("tlb.ways"), "does not end, or is longer than 254 bytes");
    struct machine machine;
    char error[256], text[sizeof(good)];
    memcpy(text, good, sizeof(good));
    size_t bytes = strlen(good);
    assert_false(load(text, bytes - 1, &machine, error, sizeof(error)));
    text[bytes - 1] = 0;
    assert_false(load(text, bytes, &machine, error, sizeof(error)));
    text[bytes - 1] = '\n';
    assert_true(load(text, bytes, &machine, error, sizeof(error)));
}

static void comments_spaces_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    struct machine machine;
    char error[256] = "";
    const char *text = with("tlb.ways = 4\n", "\t tlb.ways=8# eight\r\n\r\n   #\n");
    if (!load(text, strlen(text), &machine, error, sizeof(error)))
        fail_msg("%s", error);
    assert_int_equal(machine.geometry.tlb_ways, 8);
    text = with("counters.larx = 3\n", "counters.larx = none\n");
    assert_true(load(text, strlen(text), &machine, error, sizeof(error)));
    assert_int_equal(machine.counters[MODEL_LARX], 0);
}

static void files_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    struct machine machine;
    char error[256];
    assert_false(machine_load("/nowhere/x.conf", &machine, error, sizeof(error)));
    assert_string_equal(error, "/nowhere/x.conf: No such file or directory");
    assert_false(machine_load("/tmp", &machine, error, sizeof(error)));
    assert_string_equal(error, "/tmp: Is a directory");
    assert_false(machine_load("/dev/null", &machine, error, sizeof(error)));
    assert_string_equal(error, "/dev/null: name: missing");
    for (size_t bytes = 1; bytes < 40; bytes++) { // the message is cut, its end is there
        memset(error, 'x', sizeof(error));
        assert_false(machine_load("/nowhere/x.conf", &machine, error, bytes));
        assert_true(strlen(error) < bytes);
        assert_int_equal(error[bytes], 'x');
    }
}

static bool power_of_two(u64 value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

// What the models rely on.
static void check_promises(const struct machine *machine)
{
    const struct model_geometry *geometry = &machine->geometry;
    const u64 caches[][2] = {{geometry->l1i_bytes, geometry->l1i_ways},
                             {geometry->l1d_bytes, geometry->l1d_ways},
                             {geometry->l2_bytes, geometry->l2_ways}};
    assert_true(memchr(machine->name, 0, sizeof(machine->name)) != NULL);
    assert_true(power_of_two(geometry->page_bytes) && power_of_two(geometry->line_bytes));
    assert_true(power_of_two(geometry->tlb_entries) && power_of_two(geometry->tlb_ways));
    assert_true(geometry->tlb_ways <= geometry->tlb_entries);
    for (u32 i = 0; i < ARRAY_SIZE(caches); i++) {
        assert_true(power_of_two(caches[i][0]) && power_of_two(caches[i][1]));
        assert_true(caches[i][1] * geometry->line_bytes <= caches[i][0]);
    }
    assert_true(power_of_two(geometry->local_entries) && power_of_two(geometry->global_entries));
    assert_true(1UL << geometry->history_bits <= geometry->global_entries);
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        assert_true(machine->counters[event] >> MODEL_COUNTERS == 0);
        assert_true(geometry->cost[event] <= 100000);
    }
    assert_int_equal(geometry->cost[MODEL_CYCLES], 0);
}

static void noise_is_refused_or_keeps_the_promises(void **state)
{
    (void)state;
    u64 random = 11, accepted = 0;
    size_t bytes = strlen(good);
    char text[sizeof(good)], error[256];
    const char letters[] = "0123456789KM =#\n.-x\0\xff";
    for (u32 round = 0; round < 4000; round++) {
        memcpy(text, good, sizeof(good));
        for (u64 i = 0; i <= round % 3; i++) {
            u64 pick = next_random(&random);
            text[(pick >> 8) % bytes] = letters[pick % (sizeof(letters) - 1)];
        }
        struct machine machine;
        if (load(text, bytes, &machine, error, sizeof(error))) {
            check_promises(&machine);
            accepted++;
        } else {
            assert_int_equal(strncmp(error, path, strlen(path)), 0);
        }
    }
    assert_in_range(accepted, 400, 3600); // comments make up a good part
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_970fx_is_as_published),
        cmocka_unit_test(each_of_the_five_metrics_fits_into_one_group),
        cmocka_unit_test(values_that_make_no_sense_are_refused),
        cmocka_unit_test(what_is_missing_or_twice_there_is_named),
        cmocka_unit_test(values_that_do_not_go_together_are_refused),
        cmocka_unit_test(lines_without_an_end_are_refused),
        cmocka_unit_test(comments_spaces_and_line_ends_do_not_matter),
        cmocka_unit_test(files_that_cannot_be_read_are_told),
        cmocka_unit_test(noise_is_refused_or_keeps_the_promises),
    };
    return cmocka_run_group_tests(tests, read_good, remove_file);
}
