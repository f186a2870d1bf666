// SPDX-License-Identifier: MIT
// What changed between two intervals, or may be chance: against all ways in which chance divides
// the hits, and against hits drawn by lot.
#include "unit.h"

#include "ranking_made.h"

#include "samples/share.h"

static void a_change_is_chance_or_is_not(void **state)
{
    struct site_sums before, after;
    struct ranking ranking;
    (void)state;
    fill_snapshot();
    site_sums_begin(&before, SITES_MAX);
    site_sums_begin(&after, SITES_MAX);
    add(&before, 0, 0, 16, 1000, 500);
    add(&before, 0, 0, 32, 1000, 480);
    add(&before, 0, 0, 48, 1000, 20);
    add(&after, 0, 0, 16, 1000, 510);
    add(&after, 0, 0, 32, 1000, 340);
    add(&after, 0, 0, 64, 1000, 150);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_int_equal(ranking.count, 4);
    const struct ranking_row *same = find(&ranking, "Class2(default) 0x10");
    near(same->change.value, 1);
    double wald = hypot(257.6 * sqrt(0.5 * 0.5 / 1000), 257.6 * sqrt(0.51 * 0.49 / 1000));
    assert_true(fabs(same->change.error - wald) < 0.02 * wald); // as many samples make them alike
    assert_true(same->chance);
    const struct ranking_row *less = find(&ranking, "Class3(default) 0x20");
    near(less->before.value, 48);
    near(less->change.value, -14);
    assert_false(less->chance);
    const struct ranking_row *gone = find(&ranking, "class 4 0x30");
    near(gone->share.value, 0);
    near(gone->share.error, 100 * (1 - pow(0.005, 0.001)));
    assert_false(gone->chance);
    near(find(&ranking, "Class1(default) 0x40")->change.value, 15);
    ranking_free(&ranking);
    // Ten samples in which an object is not do not tell that it was not.
    site_sums_clear(&before);
    add(&before, 0, 0, 16, 1000, 10);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_true(find(&ranking, "Class1(default) 0x40")->chance);
    ranking_free(&ranking);
    // No baseline at all: nothing is known.
    site_sums_clear(&before);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_true(ranking.rows[0].chance && isinf(ranking.rows[0].change.error));
    ranking_free(&ranking);
    site_sums_free(&before);
    site_sums_free(&after);
    snapshot_free(&snapshot);
}

static void one_of_one_against_none_of_many_is_chance(void **state)
{
    struct site_sums before, after;
    struct ranking ranking;
    (void)state;
    fill_snapshot();
    site_sums_begin(&before, SITES_MAX);
    site_sums_begin(&after, SITES_MAX);
    add(&before, 0, 0, 16, 1000, 1);
    add(&after, 0, 0, 32, 1000, 52);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    const struct ranking_row *gone = find(&ranking, "Class2(default) 0x10");
    near(gone->change.value, -100);
    assert_true(gone->change.error > 80 && gone->chance);
    near(gone->before.error, 100 * (1 - 0.005)); // of one sample: not 100 % for sure
    ranking_free(&ranking);
    add(&before, 0, 0, 16, 1000, 9);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_false(find(&ranking, "Class2(default) 0x10")->chance);
    ranking_free(&ranking);
    site_sums_free(&before);
    site_sums_free(&after);
    snapshot_free(&snapshot);
}

// By all ways in which chance divides the hits, counted one by one.
static double counted_chance(u32 hits, u32 samples, u32 other_hits, u32 other_samples)
{
    double ways = 0, tail = 0, other = 0;
    u32 all_hits = hits + other_hits;
    for (u32 k = 0; k <= all_hits && k <= samples; k++) {
        double way = 1;
        if (all_hits - k > other_samples)
            continue;
        for (u32 i = 0; i < k; i++)
            way *= (double)(samples - i) / (double)(i + 1);
        for (u32 i = 0; i < all_hits - k; i++)
            way *= (double)(other_samples - i) / (double)(i + 1);
        ways += way;
        tail += k >= hits ? way : 0;
        other += k <= hits ? way : 0;
    }
    return fmin(1, 2 * fmin(tail, other) / ways);
}

static void chance_is_counted_exactly(void **state)
{
    (void)state;
    for (u32 samples = 1; samples <= 12; samples++)
        for (u32 other = 1; other <= 12; other++)
            for (u32 hits = 0; hits <= samples; hits++)
                for (u32 others = 0; others <= other; others++) {
                    const struct share_sample a = {others, other}, b = {hits, samples};
                    double expected = counted_chance(hits, samples, others, other);
                    double told = share_chance(&a, &b);
                    assert_true(fabs(told - expected) < 1e-6 || (told > 0.5 && expected > 0.5));
                }
}

// The same of two counts: all ways in which each hit falls to one side, with its probability.
static double counted_rate_chance(u32 hits, u32 others, double part)
{
    double tail = 0, other = 0;
    for (u32 k = 0; k <= hits + others; k++) {
        double way = 1;
        for (u32 i = 0; i < hits + others; i++)
            way *= i < k ? part * (double)(hits + others - i) / (double)(i + 1) : 1 - part;
        tail += k >= hits ? way : 0;
        other += k <= hits ? way : 0;
    }
    return fmin(1, 2 * fmin(tail, other));
}

static void chance_of_rates_is_counted_exactly(void **state)
{
    static const double times[] = {0.1, 1, 3, 40};
    (void)state;
    for (u32 hits = 0; hits <= 15; hits++)
        for (u32 others = hits == 0; others <= 15; others++)
            for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
                const struct rate_sample a = {others, 1}, b = {hits, times[i]};
                double expected = counted_rate_chance(hits, others, times[i] / (1 + times[i]));
                double told = rate_chance(&a, &b);
                assert_true(fabs(told - expected) < 1e-6 || (told > 0.5 && expected > 0.5));
                near(rate_chance(&b, &a), told);
            }
    const struct rate_sample none = {0, 1}, many = {1e6, 1}, more = {1.01e6, 1}, odd = {5, 0};
    assert_true(rate_chance(&none, &none) == 1 && rate_chance(&odd, &many) == 1);
    assert_true(rate_chance(&many, &many) > 0.99 && rate_chance(&many, &more) < 1e-9);
}

// Returns a number of hits as chance makes them, of so many on average (Knuth).
static u32 draw_hits(double mean, u64 *random)
{
    double product = 1;
    for (u32 hits = 0;; hits++) {
        product *= ((double)(unit_random(random) >> 11) + 0.5) * 0x1p-53;
        if (product < exp(-mean))
            return hits;
    }
}

static void alike_rates_rarely_seem_to_differ(void **state)
{
    static const double means[] = {0.5, 3, 20, 100};
    u64 random = 21;
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(means); i++) {
        u32 wrong = 0, found = 0;
        for (u32 run = 0; run < 5000; run++) {
            const struct rate_sample a = {draw_hits(means[i], &random), 1};
            const struct rate_sample b = {draw_hits(3 * means[i], &random), 3};
            const struct rate_sample c = {draw_hits(6 * means[i], &random), 3};
            wrong += rate_chance(&a, &b) < SHARE_CHANCE;
            found += rate_chance(&a, &c) < SHARE_CHANCE;
        }
        assert_in_range(wrong, 0, 65); // of 50: three standard deviations above 1 of 100
        assert_true(means[i] < 100 || found > 4900); // and it finds what differs
    }
}

static void cover(struct site_sums *sums, u64 ticks)
{
    site_sums_add_stream(sums, &(struct site_stream){.covered = ticks});
}

// As many samples in a shorter time, of as large a share, are a higher rate.
static void a_rate_may_change_where_a_share_does_not(void **state)
{
    struct site_sums before, after;
    struct ranking ranking;
    (void)state;
    fill_snapshot();
    site_sums_begin(&before, SITES_MAX);
    site_sums_begin(&after, SITES_MAX);
    add(&before, 0, 0, 16, 1000, 300);
    add(&before, 0, 0, 32, 1000, 700);
    add(&after, 0, 0, 16, 1000, 300);
    add(&after, 0, 0, 32, 1000, 700);
    cover(&before, 4000);
    cover(&after, 2000);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    const struct ranking_row *row = find(&ranking, "Class2(default) 0x10");
    assert_true(row->chance && !row->rate_chance);
    assert_true(row->events.value == 300000 && row->events_before.value == 300000);
    assert_int_equal(ranking.covered, 2000);
    assert_int_equal(ranking.covered_before, 4000);
    ranking_free(&ranking);
    // A share that changes, because another object has more, at the same rate.
    site_sums_clear(&after);
    add(&after, 0, 0, 16, 1000, 150);
    add(&after, 0, 0, 32, 1000, 1050);
    cover(&after, 2000);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    row = find(&ranking, "Class2(default) 0x10");
    assert_true(!row->chance && row->rate_chance);
    assert_false(find(&ranking, "Class3(default) 0x20")->rate_chance);
    ranking_free(&ranking);
    // The period was another: as many samples stand for a tenth.
    site_sums_clear(&after);
    add(&after, 0, 0, 16, 100, 300);
    add(&after, 0, 0, 48, 100, 30);
    cover(&after, 400);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_true(find(&ranking, "Class2(default) 0x10")->rate_chance);
    assert_false(find(&ranking, "class 4 0x30")->rate_chance);         // 30 of 0 expected
    assert_false(find(&ranking, "Class3(default) 0x20")->rate_chance); // none of 700
    ranking_free(&ranking);
    // Nothing was sampled before: nothing is known.
    site_sums_clear(&before);
    ranking_compute(&after, &before, 0, RANKING_OBJECT, &snapshot, &ranking);
    assert_true(ranking.rows[0].rate_chance && ranking.covered_before == 0);
    ranking_free(&ranking);
    site_sums_free(&before);
    site_sums_free(&after);
    snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_chance_or_is_not),
        cmocka_unit_test(one_of_one_against_none_of_many_is_chance),
        cmocka_unit_test(chance_is_counted_exactly),
        cmocka_unit_test(chance_of_rates_is_counted_exactly),
        cmocka_unit_test(alike_rates_rarely_seem_to_differ),
        cmocka_unit_test(a_rate_may_change_where_a_share_does_not),
    };
    return cmocka_run_group_tests_name("kov_ranking_change", tests, NULL, NULL);
}
