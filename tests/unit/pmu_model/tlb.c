// SPDX-License-Identifier: MIT
// TLBs: worked by hand, and every single outcome against a second implementation.
#include <models/tlb.h>

#include "reference.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static u64 walk(struct tlb_model *tlb, u64 space, u64 pages, u64 rounds)
{
    u64 misses = 0;
    for (u64 i = 0; i < pages * rounds; i++)
        misses += !tlb_model_access(tlb, space, 0x10000 + i % pages);
    return misses;
}

// The 970FX's: 256 sets of 4.
static void page_walks_miss_as_worked_out_by_hand(void **state)
{
    (void)state;
    const struct {
        u64 pages, first, later; // misses of the first walk and of each later one
    } cases[] = {
        {1, 1, 0},          {1024, 1024, 0},    {1025, 1025, 5}, // a set of five, in turn
        {1100, 1100, 380},                                       // 76 such sets
        {1280, 1280, 1280}, {2000, 2000, 2000},
    };
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tlb_model *tlb = tlb_model_new(1024, 4);
        assert_int_equal(walk(tlb, 1, cases[i].pages, 1), cases[i].first);
        assert_int_equal(walk(tlb, 1, cases[i].pages, 7), cases[i].later * 7);
        tlb_model_free(tlb);
    }
}

static void spaces_do_not_share_translations_but_sets(void **state)
{
    (void)state;
    struct tlb_model *tlb = tlb_model_new(2, 2);
    assert_false(tlb_model_access(tlb, 1, 5));
    assert_false(tlb_model_access(tlb, 2, 5));
    assert_true(tlb_model_access(tlb, 1, 5));
    assert_true(tlb_model_access(tlb, 2, 5));
    assert_false(tlb_model_access(tlb, 3, 5)); // pushes out that of 1
    assert_true(tlb_model_access(tlb, 2, 5));
    assert_false(tlb_model_access(tlb, 1, 5));
    tlb_model_free(tlb);
}

static void a_flushed_page_leaves_its_place_to_the_next(void **state)
{
    (void)state;
    struct tlb_model *tlb = tlb_model_new(4, 4);
    for (u64 page = 0; page < 4; page++)
        assert_false(tlb_model_access(tlb, 1, page));
    tlb_model_flush(tlb, 1, 2);
    tlb_model_flush(tlb, 1, 9);                // was never there
    tlb_model_flush(tlb, 2, 1);                // another space's
    assert_false(tlb_model_access(tlb, 1, 4)); // pushes out nothing
    for (u64 page = 0; page < 5; page++) {
        if (page != 2)
            assert_true(tlb_model_access(tlb, 1, page));
    }
    assert_false(tlb_model_access(tlb, 1, 2)); // pushes out 0
    assert_false(tlb_model_access(tlb, 1, 0));
    tlb_model_free(tlb);
}

static void a_flushed_space_takes_nothing_of_others_with_it(void **state)
{
    (void)state;
    struct tlb_model *tlb = tlb_model_new(16, 4);
    for (u64 page = 0; page < 8; page++) {
        assert_false(tlb_model_access(tlb, 1, page));
        assert_false(tlb_model_access(tlb, 2, page));
    }
    tlb_model_flush_space(tlb, 1);
    tlb_model_flush_space(tlb, 0); // nothing: empty entries are nobody's
    for (u64 page = 0; page < 8; page++)
        assert_true(tlb_model_access(tlb, 2, page));
    for (u64 page = 0; page < 8; page++)
        assert_false(tlb_model_access(tlb, 1, page));
    tlb_model_flush_all(tlb);
    for (u64 page = 0; page < 8; page++)
        assert_false(tlb_model_access(tlb, 2, page));
    tlb_model_free(tlb);
}

static const struct {
    u64 entries, ways;
} GEOMETRIES[] = {{1, 1}, {4, 4}, {8, 2}, {64, 64}, {64, 1}, {128, 8}, {1024, 4}};

// A flush of some kind now and then, of what was just used as often as of anything else.
static void flush_both(struct tlb_model *tlb, struct reference_tlb *reference, u64 pick, u64 space,
                       u64 page)
{
    switch (pick % 300) {
    case 0 ... 9:
        page -= pick >> 20 & 7;
        tlb_model_flush(tlb, space, page);
        reference_tlb_flush(reference, space, page);
        break;
    case 10:
        tlb_model_flush_space(tlb, space);
        reference_tlb_flush_space(reference, space);
        break;
    case 11:
        if ((pick >> 20 & 7) != 0)
            break;
        tlb_model_flush_all(tlb);
        reference_tlb_flush_all(reference);
        break;
    default:
        break;
    }
}

static void compare(const struct stream *stream, u64 which, u64 page_bytes, bool flushes)
{
    u64 entries = GEOMETRIES[which].entries, ways = GEOMETRIES[which].ways, state = which + 1;
    struct tlb_model *tlb = tlb_model_new(entries, ways);
    struct reference_tlb *reference = reference_tlb_new(entries, ways);
    for (u64 i = 0; i < stream->count; i++) {
        u64 pick = next_random(&state), address = stream->steps[i].address,
            page = address / page_bytes;
        u64 space = address >> 63 ? 0 : 1 + i / 500 % 3; // three processes take turns
        bool hit = tlb_model_access(tlb, space, page);
        if (hit != reference_tlb_access(reference, space, page))
            fail_msg("stream %s, step %lu, space %lu page %lx: the model says %s (%lu entries, "
                     "%lu ways)",
                     stream->name, i, space, page, hit ? "hit" : "miss", entries, ways);
        if (flushes)
            flush_both(tlb, reference, pick, space, page);
    }
    tlb_model_free(tlb);
    reference_tlb_free(reference);
}

static void every_outcome_is_the_second_implementations(void **state)
{
    (void)state;
    u64 count;
    struct stream *streams = streams_all(&count);
    for (u64 i = 0; i < count; i++) {
        for (u64 which = 0; which < ARRAY_SIZE(GEOMETRIES); which++) {
            compare(&streams[i], which, 4096, false);
            compare(&streams[i], which, 4096, true);
            compare(&streams[i], which, 65536, true);
        }
        stream_free(&streams[i]);
    }
    free(streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_walks_miss_as_worked_out_by_hand),
        cmocka_unit_test(spaces_do_not_share_translations_but_sets),
        cmocka_unit_test(a_flushed_page_leaves_its_place_to_the_next),
        cmocka_unit_test(a_flushed_space_takes_nothing_of_others_with_it),
        cmocka_unit_test(every_outcome_is_the_second_implementations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
