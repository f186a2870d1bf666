// SPDX-License-Identifier: MIT
// Caches: worked by hand, and every single outcome against a second implementation.
#include <models/cache.h>

#include "reference.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// Asks for lines one after the other; expected holds 'h' for a hit, 'm' for a miss.
static void expect(u64 bytes, u64 ways, const u64 *lines, const char *expected)
{
    struct cache_model *cache = cache_model_new(bytes, ways, 128);
    for (u64 i = 0; expected[i] != 0; i++) {
        if (cache_model_access(cache, lines[i]) != (expected[i] == 'h'))
            fail_msg("%lu bytes, %lu ways: access %lu, to line %lu, should have been a %s", bytes,
                     ways, i, lines[i], expected[i] == 'h' ? "hit" : "miss");
    }
    cache_model_free(cache);
}

static void direct_mapped_lines_push_each_other_out(void **state)
{
    (void)state;
    expect(512, 1, (u64[]){0, 0, 4, 0, 1, 0, 5, 1, 2, 3, 2, 0}, "mhmmmhmmmmhh");
}

// Two sets of two ways: even lines, odd lines.
static void the_least_recently_used_of_a_set_goes(void **state)
{
    (void)state;
    expect(512, 2, (u64[]){0, 2, 0, 4, 0, 2, 1, 4, 2, 0, 1}, "mmhmhmmmhmh");
}

static void one_set_of_all_lines_forgets_the_oldest(void **state)
{
    (void)state;
    expect(512, 4, (u64[]){7, 8, 9, 10, 7, 11, 8, 9, 7, 11, 8, 10}, "mmmmhmmmhhhm");
}

static void line_0_and_the_last_are_lines_like_others(void **state)
{
    (void)state;
    expect(512, 2, (u64[]){0, 0, ~1UL, ~1UL, 0}, "mhmhh");
}

// Misses of `rounds` walks over lines 0, stride, 2 * stride …
static u64 walk(struct cache_model *cache, u64 lines, u64 stride, u64 rounds)
{
    u64 misses = 0;
    for (u64 i = 0; i < lines * rounds; i++)
        misses += !cache_model_access(cache, i % lines * stride);
    return misses;
}

// The 970FX's first-level data cache: 256 lines, 128 sets of 2.
static void walks_miss_as_worked_out_by_hand(void **state)
{
    (void)state;
    struct cache_model *cache = cache_model_new(32768, 2, 128);
    assert_int_equal(walk(cache, 256, 1, 10), 256); // all fit
    assert_int_equal(walk(cache, 256, 1, 1), 0);
    cache_model_free(cache);
    cache = cache_model_new(32768, 2, 128);
    assert_int_equal(walk(cache, 257, 1, 1), 257);
    assert_int_equal(walk(cache, 257, 1, 10), 30); // three lines share set 0, in turn
    cache_model_free(cache);
    cache = cache_model_new(32768, 2, 128);
    assert_int_equal(walk(cache, 3, 128, 100), 300); // all in set 0
    cache_model_free(cache);
}

static const struct {
    u64 bytes, ways, line_bytes;
} GEOMETRIES[] = {
    {64, 1, 64},     {1024, 1, 128},  {1024, 8, 128},  {4096, 4, 64},    {8192, 64, 128},
    {32768, 2, 128}, {32768, 8, 128}, {65536, 1, 128}, {524288, 8, 128}, {512, 2, 16},
};

// kinds: a bit for each step_kind that goes into the cache.
static void compare(const struct stream *stream, u64 which, u32 kinds)
{
    u64 bytes = GEOMETRIES[which].bytes, ways = GEOMETRIES[which].ways,
        line = GEOMETRIES[which].line_bytes;
    struct cache_model *cache = cache_model_new(bytes, ways, line);
    struct reference_cache *reference = reference_cache_new(bytes, ways, line);
    for (u64 i = 0; i < stream->count; i++) {
        if (!(kinds >> stream->steps[i].kind & 1))
            continue;
        u64 number = stream->steps[i].address / line;
        bool hit = cache_model_access(cache, number);
        if (hit != reference_cache_access(reference, number))
            fail_msg("stream %s, step %lu, line %lx: the model says %s (%lu bytes, %lu ways)",
                     stream->name, i, number, hit ? "hit" : "miss", bytes, ways);
    }
    cache_model_free(cache);
    reference_cache_free(reference);
}

static void every_outcome_is_the_second_implementations(void **state)
{
    (void)state;
    u64 count;
    struct stream *streams = streams_all(&count);
    for (u64 i = 0; i < count; i++) {
        for (u64 which = 0; which < ARRAY_SIZE(GEOMETRIES); which++) {
            compare(&streams[i], which, 1U << STEP_FETCH);
            compare(&streams[i], which, 1U << STEP_LOAD | 1U << STEP_STORE);
            compare(&streams[i], which, 15);
        }
        stream_free(&streams[i]);
    }
    free(streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_mapped_lines_push_each_other_out),
        cmocka_unit_test(the_least_recently_used_of_a_set_goes),
        cmocka_unit_test(one_set_of_all_lines_forgets_the_oldest),
        cmocka_unit_test(line_0_and_the_last_are_lines_like_others),
        cmocka_unit_test(walks_miss_as_worked_out_by_hand),
        cmocka_unit_test(every_outcome_is_the_second_implementations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
