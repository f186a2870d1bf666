// SPDX-License-Identifier: MIT
// Reference counts: what is given back too often, taken too late, or no object at all, is named.
#include <kernel/refs.h>
#include <kernel/symbols.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define KIND REFS_KIND('T', 'E', 'S', 'T')
#define OTHER REFS_KIND('E', 'L', 'S', 'E')

u64 atomic_add(u64 *word, u64 addend)
{
    return __atomic_fetch_add(word, addend, __ATOMIC_RELAXED);
}

// The panic's text is part of the failed assertion that is expected.
const char *symbol_find(u64 pc, u64 *offset)
{
    *offset = pc != 0 ? 1 : 0;
    return pc != 0 ? "somebody" : NULL;
}

static void references_are_counted(void **state)
{
    (void)state;
    struct refs refs;

    refs_init(&refs, KIND);
    refs_get(&refs, KIND);
    assert_true(refs_try_get(&refs, KIND));
    assert_int_equal(refs_put(&refs, KIND), 2);
    assert_int_equal(refs_put(&refs, KIND), 1);
    assert_int_equal(refs.ended_at, 0);
    assert_int_equal(refs_put(&refs, KIND), 0);
    assert_int_not_equal(refs.ended_at, 0);
    assert_false(refs_try_get(&refs, KIND));
    assert_int_equal(refs.count, 0);
}

static void what_has_ended_is_given_back_and_taken_by_nobody(void **state)
{
    (void)state;
    struct refs refs;

    refs_init(&refs, KIND);
    refs_put(&refs, KIND);
    expect_assert_failure(refs_put(&refs, KIND));
    refs.count = 0;
    expect_assert_failure(refs_get(&refs, KIND));
}

static void what_is_something_else_is_left_as_it_is(void **state)
{
    (void)state;
    struct refs refs;

    refs_init(&refs, OTHER);
    expect_assert_failure(refs_put(&refs, KIND));
    expect_assert_failure(refs_get(&refs, KIND));
    expect_assert_failure(refs_try_get(&refs, KIND));
    assert_int_equal(refs.count, 1);
}

static void a_count_that_is_too_high_stays_and_the_object_with_it(void **state)
{
    (void)state;
    struct refs refs;

    refs_init(&refs, KIND);
    refs.count = REFS_STUCK;
    refs_get(&refs, KIND); // the last one that is counted
    refs_get(&refs, KIND);
    u64 stuck = refs.count;
    assert_true(stuck > REFS_STUCK);
    refs_get(&refs, KIND);
    assert_true(refs_try_get(&refs, KIND));
    assert_true(refs_put(&refs, KIND) > 1);
    assert_int_equal(refs.count, stuck);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(what_has_ended_is_given_back_and_taken_by_nobody),
        cmocka_unit_test(what_is_something_else_is_left_as_it_is),
        cmocka_unit_test(a_count_that_is_too_high_stays_and_the_object_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
