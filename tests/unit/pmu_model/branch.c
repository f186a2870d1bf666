// SPDX-License-Identifier: MIT
// The branch predictor: worked by hand, and every single outcome against a second implementation.
#include <models/branch.h>

#include "reference.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct branch_model *predictor(u64 local_entries, u64 global_entries, u64 history_bits)
{
    struct machine machine = {.geometry = {.local_entries = local_entries,
                                           .global_entries = global_entries,
                                           .history_bits = history_bits}};
    return branch_model_new(&machine);
}

// A branch at pc does what `does` says ('t' or 'n'); expected has an 'x' where it is mispredicted.
static void expect(struct branch_model *model, u64 pc, u32 hint, const char *does,
                   const char *expected)
{
    for (u64 i = 0; does[i] != 0; i++) {
        bool right = branch_model_resolve(model, pc, hint, does[i] == 't');
        if (right != (expected[i] != 'x'))
            fail_msg("branch %lu of '%s': should have been predicted %s", i, does,
                     right ? "wrong" : "right");
    }
}

static void a_hint_is_believed_and_leaves_no_trace(void **state)
{
    (void)state;
    struct branch_model *model = predictor(16384, 16384, 11);
    expect(model, 0x1000, BRANCH_HINT_NOT_TAKEN, "tttn", "xxx.");
    expect(model, 0x1000, BRANCH_HINT_TAKEN, "tttn", "...x");
    expect(model, 0x1000, 0, "ntt", ".x."); // as on the first day
    expect(model, 0x1000, 1, "n", "x");     // 1 is no hint: the last was taken
    branch_model_free(model);
}

// The global table is cold at each of 12 histories, but the selector still points to the local one.
static void a_branch_always_taken_is_mispredicted_once(void **state)
{
    (void)state;
    struct branch_model *model = predictor(16384, 16384, 11);
    expect(model, 0x1000, 0, "tttttttttttttttttttt", "x...................");
    branch_model_free(model);
}

// Local: always wrong. Global, two bits of history: the places 0, 1 and 2 are learned in turn,
// then trusted.
static void alternation_is_learned_by_history(void **state)
{
    (void)state;
    struct branch_model *model = predictor(4, 4, 2);
    expect(model, 0, 0, "tntntntntntn", "xxx.x.......");
    assert_int_equal(model->history, 2);
    assert_int_equal(model->global[0], 1U << 0 | 1U << 2);
    assert_int_equal(model->selector[0], 1U << 1 | 1U << 2);
    branch_model_free(model);
}

static void without_history_alternation_is_always_wrong(void **state)
{
    (void)state;
    struct branch_model *model = predictor(4, 4, 0);
    expect(model, 0, 0, "tntntntntntn", "xxxxxxxxxxxx");
    branch_model_free(model);
}

// Mispredictions of `passes` passes through a loop whose branch is taken limit - 1
// times and then not.
static u64 loop(struct branch_model *model, u64 limit, u64 passes)
{
    u64 wrong = 0;
    for (u64 i = 1; i <= limit * passes; i++)
        wrong += !branch_model_resolve(model, 0x2468, 0, i % limit != 0);
    return wrong;
}

static void short_loops_fit_into_history_and_long_ones_do_not(void **state)
{
    (void)state;
    for (u64 limit = 2; limit <= 12; limit++) {
        struct branch_model *model = predictor(16384, 16384, 11);
        loop(model, limit, 50);
        assert_int_equal(loop(model, limit, 100), 0);
        branch_model_free(model);
    }
    // At a history of nothing but taken ones the end cannot be told from the middle: it
    // is always a surprise.
    for (u64 limit = 13; limit <= 40; limit++) {
        struct branch_model *model = predictor(16384, 16384, 11);
        loop(model, limit, 50);
        assert_int_equal(loop(model, limit, 100), 100);
        branch_model_free(model);
    }
}

// Two branches a table's length apart are one to it.
static void branches_that_share_an_entry_disturb_each_other(void **state)
{
    (void)state;
    struct branch_model *model = predictor(16, 1, 0);
    for (u64 i = 0; i < 10; i++) {
        assert_false(branch_model_resolve(model, 0x40, 0, true));
        assert_false(branch_model_resolve(model, 0x40 + 64, 0, false));
    }
    branch_model_free(model);
    model = predictor(32, 1, 0);
    assert_false(branch_model_resolve(model, 0x40, 0, true));
    for (u64 i = 0; i < 10; i++) {
        assert_true(branch_model_resolve(model, 0x40 + 64, 0, false));
        assert_true(branch_model_resolve(model, 0x40, 0, true));
    }
    branch_model_free(model);
}

static const struct {
    u64 local_entries, global_entries, history_bits;
} GEOMETRIES[] = {{1, 1, 0},     {4, 4, 2},      {8, 64, 6},         {64, 8, 1},
                  {256, 256, 0}, {2048, 512, 5}, {16384, 16384, 11}, {65536, 65536, 16}};

static void compare(const struct stream *stream, u64 which)
{
    u64 local = GEOMETRIES[which].local_entries, global = GEOMETRIES[which].global_entries;
    u64 history = GEOMETRIES[which].history_bits;
    struct branch_model *model = predictor(local, global, history);
    struct reference_predictor *reference = reference_predictor_new(local, global, history);
    for (u64 i = 0; i < stream->count; i++) {
        const struct step *step = &stream->steps[i];
        if (step->kind != STEP_BRANCH)
            continue;
        bool right = branch_model_resolve(model, step->address, step->hint, step->taken);
        if (right != reference_predictor_resolve(reference, step->address, step->hint, step->taken))
            fail_msg("stream %s, step %lu, pc %lx: the model says predicted %s (%lu, %lu entries, "
                     "%lu bits)",
                     stream->name, i, step->address, right ? "right" : "wrong", local, global,
                     history);
    }
    branch_model_free(model);
    reference_predictor_free(reference);
}

static void every_outcome_is_the_second_implementations(void **state)
{
    (void)state;
    u64 count;
    struct stream *streams = streams_all(&count);
    for (u64 i = 0; i < count; i++) {
        for (u64 which = 0; which < ARRAY_SIZE(GEOMETRIES); which++)
            compare(&streams[i], which);
        stream_free(&streams[i]);
    }
    free(streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hint_is_believed_and_leaves_no_trace),
        cmocka_unit_test(a_branch_always_taken_is_mispredicted_once),
        cmocka_unit_test(alternation_is_learned_by_history),
        cmocka_unit_test(without_history_alternation_is_always_wrong),
        cmocka_unit_test(short_loops_fit_into_history_and_long_ones_do_not),
        cmocka_unit_test(branches_that_share_an_entry_disturb_each_other),
        cmocka_unit_test(every_outcome_is_the_second_implementations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
