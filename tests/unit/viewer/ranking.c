// SPDX-License-Identifier: MIT
// Sums by site and rankings, against what all samples say that are kept, and against `kov locks`.
#include "unit.h"

#include "locks/contention.h"
#include "samples/ranking.h"
#include "samples/sample_names.h"
#include "tools/kov.h"

#include <math.h>
#include <string.h>

struct settings settings; // programs.c asks where the programs are

#define EVENTS CONTENTION_EVENTS
#define CPUS 4

static u64 random_state;
static struct snapshot snapshot;
static struct sample_set samples;

static u64 draw(u64 below)
{
    return unit_random(&random_state) % below;
}

// ---- samples -----------------------------------------------------------------------------------

static void fill_snapshot(void)
{
    static char implementation[] = "default";
    char name[16];
    memset(&snapshot, 0, sizeof(snapshot));
    for (u32 pid = 0; pid < 4; pid++) {
        for (u32 id = 1; id <= 3; id++) {
            snprintf(name, sizeof(name), "Class%u", (unsigned)id);
            snapshot_add_class(&snapshot, &(struct class_info){.pid = pid,
                                                               .id = id,
                                                               .name = name,
                                                               .implementation = implementation});
        }
        for (coid_t coid = 16; coid < 16 * 8; coid += 16)
            snapshot_add_objects(
                &snapshot,
                &(struct object_info){.pid = pid, .coid = coid, .class_id = 1 + (u32)coid / 16 % 4},
                1);
        snprintf(name, sizeof(name), "process");
        if (pid != 2)
            snapshot_add_process(&snapshot, &(struct process_info){.pid = pid, .name = name});
    }
}

static u32 random_flags(bool kernel_only)
{
    static const u32 kinds[] = {SYS_SAMPLE_ATTRIBUTED, SYS_SAMPLE_ATTRIBUTED,
                                SYS_SAMPLE_ATTRIBUTED, 0,
                                SYS_SAMPLE_STALE,      SYS_SAMPLE_IDLE};
    u32 kind = kinds[draw(ARRAY_SIZE(kinds))];
    bool kernel = draw(2) == 0 || (kernel_only && kind != SYS_SAMPLE_ATTRIBUTED);
    return kind | (kernel ? SYS_SAMPLE_KERNEL : 0);
}

static void add_samples(u32 count, bool turns, bool kernel_only)
{
    static const u64 periods[] = {1000, 700};
    for (u32 i = 0; i < count; i++) {
        u32 turn = turns ? i / 7 : 0;
        struct sample sample = {.time = 1000 + i,
                                .cpu = (u32)draw(CPUS),
                                .index = (u32)draw(EVENTS),
                                .pid = (u32)draw(4),
                                .coid = 16 * draw(10),
                                .flags = random_flags(kernel_only) | (turn & 0xff) << 8};
        if (draw(500) == 0)
            samples_change(&samples, (u32)draw(EVENTS), periods[draw(2)], sample.time);
        samples_add(&samples, &sample);
    }
}

static void count_streams(bool turns)
{
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        for (u32 event = 0; event < EVENTS; event++) {
            struct sample_stream *stream = samples_stream(&samples, cpu, event);
            stream->taken = stream->received;
            stream->lost = draw(2) * draw(100);
            stream->missed = draw(2) * draw(100);
            stream->overflows = draw(2) * (stream->taken + draw(300));
            if (turns)
                stream->share = (struct sample_share){1000 + draw(100), 3000, 1 + draw(300)};
        }
}

static void begin(u64 seed, u32 count, bool turns, bool kernel_only)
{
    static const struct sampled_events events = {
        .events = {{.name = "larx", .period = 1000},
                   {.name = "instructions", .period = 100000},
                   {.name = "stcx", .period = 900},
                   {.name = "stcx-failed", .period = 800}},
        .count = EVENTS};
    random_state = seed * 2 + 1;
    memset(&samples, 0, sizeof(samples));
    samples_begin(&samples, &events, 0);
    fill_snapshot();
    add_samples(count, turns, kernel_only);
    count_streams(turns);
}

static void end(void)
{
    samples_free(&samples);
    snapshot_free(&snapshot);
}

static void add_stream(struct site_sums *sums, u32 cpu, u32 event)
{
    const struct sample_stream *stream = samples_stream(&samples, cpu, event);
    const struct site_stream added = {.event = event,
                                      .cpu = cpu,
                                      .counts = {.taken = stream->taken,
                                                 .lost = stream->lost,
                                                 .missed = stream->missed,
                                                 .overflows = stream->overflows},
                                      .share = stream->share};
    site_sums_add_stream(sums, &added);
}

// All samples, in so many intervals of their own that are packed and joined.
static void sum_up(struct site_sums *sums, size_t intervals)
{
    site_sums_begin(sums, SITES_MAX);
    for (size_t i = 0; i < intervals; i++) {
        struct site_sums part, packed;
        site_sums_begin(&part, SITES_MAX);
        size_t first = samples.count * i / intervals, last = samples.count * (i + 1) / intervals;
        for (size_t at = first; at < last; at++)
            site_sums_add(&part, samples.samples[at].index, &samples.samples[at]);
        site_sums_pack(&part, &packed);
        assert_int_equal(site_sums_bytes(&packed), site_sums_packed_bytes(&part));
        site_sums_join(sums, &packed);
        site_sums_free(&part);
        site_sums_free(&packed);
    }
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        for (u32 event = 0; event < EVENTS; event++)
            add_stream(sums, cpu, event);
}

static void near(double value, double expected)
{
    if (isinf(expected)) {
        assert_true(value == expected);
    } else if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12)) {
        print_error("%.17g in place of %.17g\n", value, expected);
        assert_true(false);
    }
}

static const struct ranking_row *find(const struct ranking *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (strcmp(ranking->rows[i].name, name) == 0)
            return &ranking->rows[i];
    print_error("no row %s\n", name);
    assert_true(false);
    return NULL;
}

// ---- as kov locks ------------------------------------------------------------------------------

static void compare_with_locks(size_t intervals)
{
    struct site_sums sums;
    struct contention contention;
    struct ranking ranking;
    size_t with_larx = 0;
    sum_up(&sums, intervals);
    contention_compute(&samples, EVENTS, false, &snapshot, &contention);
    ranking_compute(&sums, NULL, CONTENTION_LARX, RANKING_OBJECT, &snapshot, &ranking);
    for (size_t i = 0; i < contention.count; i++) {
        const struct contention_row *expected = &contention.rows[i];
        if (expected->samples == 0)
            continue;
        const struct ranking_row *row = find(&ranking, expected->object);
        assert_int_equal(row->samples, expected->samples);
        assert_true(row->events.value == expected->larx.value);
        near(row->events.error, expected->chance.larx);
        near(row->share.value, expected->share.value);
        near(row->share.error, expected->chance.share);
        assert_ptr_equal(row, &ranking.rows[with_larx++]);
    }
    assert_int_equal(ranking.count, with_larx);
    ranking_free(&ranking);
    contention_free(&contention);
    site_sums_free(&sums);
}

static void shares_are_those_of_kov_locks(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 60; seed++)
        for (int turns = 0; turns <= 1; turns++) {
            begin(seed, 1 + (u32)(seed * seed), turns != 0, turns != 0);
            compare_with_locks(1);
            compare_with_locks(5);
            end();
        }
}

// ---- as all samples say ------------------------------------------------------------------------

struct kept {
    struct sample_sum cpus[CPUS];
    struct sample_sum sum;
};

static struct kept *kept_of(struct intern *names, struct kept *kept, const struct sample *sample,
                            enum ranking_by by)
{
    char name[SAMPLE_NAME_BYTES];
    if (by == RANKING_OBJECT)
        sample_object_name(&snapshot, sample, name);
    else if (by == RANKING_CLASS)
        sample_class_name(&snapshot, sample, name);
    else
        sample_process_name(&snapshot, sample, name);
    return &kept[intern_text(names, name)];
}

static void add_up(struct kept *kept, u32 event)
{
    struct sample_share share = samples_share(&samples, event);
    for (u32 cpu = 0; cpu < CPUS; cpu++) {
        const struct sample_stream *stream = samples_stream(&samples, cpu, event);
        const struct overflow_counts counts = {stream->taken, stream->lost, stream->missed,
                                               stream->overflows};
        sample_sum_weigh(&kept->cpus[cpu], overflows_a_sample(&counts));
        sample_sum_join(&kept->sum, &kept->cpus[cpu]);
    }
    sample_sum_scale(&kept->sum, &share);
}

static void compare_with_samples(enum ranking_by by, u32 event, bool turns)
{
    static struct kept kept[256];
    struct intern names = {0};
    struct site_sums sums;
    struct ranking ranking;
    double busy = 0;
    memset(kept, 0, sizeof(kept));
    for (size_t i = 0; i < samples.count; i++) {
        const struct sample *sample = &samples.samples[i];
        if (sample->index == event)
            sample_sum_add(&kept_of(&names, kept, sample, by)->cpus[sample->cpu], sample);
    }
    sum_up(&sums, 3);
    ranking_compute(&sums, NULL, event, by, &snapshot, &ranking);
    assert_int_equal(ranking.count, names.count);
    for (u32 i = 0; i < names.count; i++) {
        const struct ranking_row *row = find(&ranking, names.texts[i]);
        add_up(&kept[i], event);
        double error = samples_error(kept[i].sum.square);
        assert_int_equal(row->samples, kept[i].sum.samples);
        assert_true(row->events.value == (double)kept[i].sum.events);
        // Sites that are one row may be in the same turns: on the safe side.
        if (turns)
            assert_true(row->events.error >= error * (1 - 1e-9));
        else
            near(row->events.error, error);
        busy += strcmp(names.texts[i], "[idle]") == 0 ? 0 : row->events.value;
    }
    for (size_t i = 0; i < ranking.count; i++) { // one base, whatever is ranked; idle has the time
        const struct ranking_row *row = &ranking.rows[i];
        bool idle = strcmp(row->name, "[idle]") == 0;
        near(row->share.value, 100 * row->events.value / (idle ? busy + row->events.value : busy));
    }
    near(ranking.events.value, busy);
    ranking_free(&ranking);
    intern_free(&names);
    site_sums_free(&sums);
}

static void rows_are_what_all_samples_say(void **state)
{
    (void)state;
    for (u64 seed = 1; seed <= 20; seed++)
        for (int turns = 0; turns <= 1; turns++) {
            begin(seed, 2000, turns != 0, false);
            for (u32 event = 0; event < EVENTS; event++)
                for (enum ranking_by by = RANKING_OBJECT; by <= RANKING_PROCESS; by++)
                    compare_with_samples(by, event, turns != 0);
            end();
        }
}

static void one_thing_is_its_row(void **state)
{
    struct site_sums sums;
    (void)state;
    begin(5, 3000, false, false);
    sum_up(&sums, 2);
    for (enum ranking_by by = RANKING_OBJECT; by <= RANKING_PROCESS; by++) {
        struct ranking ranking;
        struct sample_sum sum;
        ranking_compute(&sums, NULL, 0, by, &snapshot, &ranking);
        for (size_t i = 0; i < ranking.count; i++) {
            const struct ranking_row *row = &ranking.rows[i];
            struct ranking_thing thing = {by, row->kind, row->pid, row->coid, row->name};
            if (by != RANKING_CLASS && (row->kind == SITE_NONE || row->kind == SITE_STALE))
                continue; // of several processes
            assert_true(ranking_thing(&sums, 0, &thing, &snapshot, &sum));
            assert_int_equal(sum.samples, row->samples);
            assert_true((double)sum.events == row->events.value);
            near(samples_error(sum.square), row->events.error);
        }
        const struct ranking_thing machine = {.by = by, .kind = SITE_ALL};
        assert_true(ranking_thing(&sums, 0, &machine, &snapshot, &sum));
        assert_int_equal(sum.samples, ranking.samples + find(&ranking, "[idle]")->samples);
        assert_false(ranking_thing(&sums, EVENTS, &machine, &snapshot, &sum));
        ranking_free(&ranking);
    }
    site_sums_free(&sums);
    end();
}

// ---- by hand -----------------------------------------------------------------------------------

static void add(struct site_sums *sums, u32 event, u32 pid, coid_t coid, u64 weight, u32 count)
{
    const struct sample sample = {.pid = pid,
                                  .coid = coid,
                                  .weight = weight,
                                  .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED};
    for (u32 i = 0; i < count; i++)
        site_sums_add(sums, event, &sample);
}

static void streams(struct site_sums *sums, u32 events)
{
    for (u32 event = 0; event < events; event++)
        site_sums_add_stream(sums, &(struct site_stream){.event = event});
}

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

static void code_without_an_object_is_its_processes(void **state)
{
    struct site_sums sums;
    struct ranking objects, sites;
    u64 none = 0;
    (void)state;
    begin(7, 3000, false, false);
    sum_up(&sums, 2);
    ranking_compute(&sums, NULL, 0, RANKING_OBJECT, &snapshot, &objects);
    ranking_compute(&sums, NULL, 0, RANKING_SITE, &snapshot, &sites);
    for (size_t i = 0; i < sites.count; i++)
        if (sites.rows[i].kind == SITE_NONE) {
            struct ranking_thing thing = {
                .by = RANKING_OBJECT, .kind = SITE_NONE, .pid = sites.rows[i].pid};
            struct sample_sum sum;
            assert_true(ranking_thing(&sums, 0, &thing, &snapshot, &sum));
            assert_int_equal(sum.samples, sites.rows[i].samples);
            none += sum.samples;
        }
    assert_true(sites.count > objects.count);
    assert_int_equal(none, find(&objects, "[none]")->samples);
    assert_true(fabs(sites.events.value - objects.events.value) < (double)sites.count); // rounding
    ranking_free(&objects);
    ranking_free(&sites);
    site_sums_free(&sums);
    end();
}

// Of hidden processes a sample is, by its own address space.
static u64 kept_samples_of(u32 event, u32 pid, bool by_process)
{
    u64 count = 0;
    for (size_t i = 0; i < samples.count; i++) {
        const struct sample *sample = &samples.samples[i];
        u32 of = by_process || (sample->flags & SYS_SAMPLE_KERNEL) == 0 ? sample->pid : 0;
        count += sample->index == event && (sample->flags & SYS_SAMPLE_IDLE) == 0 && of == pid;
    }
    return count;
}

static void hidden_processes_have_one_row_and_others_keep_their_shares(void **state)
{
    static const struct ranking_hidden hidden = {.pids = {3, 1}, .count = 2};
    struct site_sums sums;
    struct ranking all, rest;
    (void)state;
    begin(11, 4000, false, false);
    sum_up(&sums, 3);
    for (enum ranking_by by = RANKING_OBJECT; by <= RANKING_PROCESS; by++) {
        bool by_process = by == RANKING_PROCESS;
        ranking_compute(&sums, NULL, 0, by, &snapshot, &all);
        ranking_compute_hiding(&sums, NULL, 0, by, &snapshot, &hidden, &rest);
        const struct ranking_row *gone = find(&rest, RANKING_HIDDEN_NAME);
        assert_int_equal(gone->samples,
                         kept_samples_of(0, 1, by_process) + kept_samples_of(0, 3, by_process));
        assert_true(gone->samples > 0);
        assert_int_equal(rest.samples, all.samples);
        for (size_t i = 0; i < rest.count; i++) {
            const struct ranking_row *row = &rest.rows[i];
            if (row->pid != 1 && row->pid != 3 && row->kind == SITE_OBJECT &&
                by == RANKING_OBJECT) {
                // Rows are whole events, so the sum of all may differ by one for each row.
                double whole = find(&all, row->name)->share.value;
                assert_true(fabs(row->share.value - whole) < 1e-4 * whole);
                assert_int_equal(row->samples, find(&all, row->name)->samples);
            }
            assert_false(by != RANKING_CLASS && row != gone && (row->pid == 1 || row->pid == 3));
        }
        ranking_free(&all);
        ranking_free(&rest);
    }
    site_sums_free(&sums);
    end();
}

static void what_left_no_sample_is_told(void **state)
{
    struct site_sums sums;
    struct ranking ranking;
    (void)state;
    site_sums_begin(&sums, SITES_MAX);
    add(&sums, 2, 0, 16, 1000, 80);
    site_sums_add_stream(&sums,
                         &(struct site_stream){.event = 2, .counts = {.taken = 80, .lost = 10}});
    site_sums_add_stream(
        &sums, &(struct site_stream){.event = 2, .cpu = 1, .counts = {.taken = 0, .missed = 10}});
    site_sums_add_stream(&sums, &(struct site_stream){.event = 1, .counts = {.lost = 7}});
    ranking_compute(&sums, NULL, 2, RANKING_OBJECT, &snapshot, &ranking);
    assert_int_equal(ranking.lost, 10);
    assert_int_equal(ranking.missed, 10);
    near(ranking.lost_events, 20000);
    near(ranking.lost_share, 20);
    near(ranking.rows[0].events.value, 90000);
    ranking_free(&ranking);
    site_sums_free(&sums);
}

static void what_has_no_room_is_among_others(void **state)
{
    struct site_sums sums, joined;
    struct ranking ranking;
    u64 events = 0;
    (void)state;
    site_sums_begin(&sums, 5);
    for (u32 i = 0; i < 1000; i++) // absurd pids and coids, too
        add(&sums, 0, i * 0x10001001, (coid_t)i << 60 | i, 10, 1);
    add(&sums, SITE_EVENTS_MAX, 0, 16, 10, 1);
    site_sums_add(&sums, 0, &(struct sample){.cpu = ORRERY_MAX_CPUS});
    assert_int_equal(sums.refused, 2);
    assert_int_equal(sums.bounded, 5);
    assert_int_equal(sums.count, 5 + 3);
    for (size_t i = 0; i < sums.count; i++)
        events += sums.sums[i].site.kind == SITE_ALL ? sums.sums[i].events : 0;
    assert_int_equal(events, 10000);
    site_sums_begin(&joined, 1);
    site_sums_join(&joined, &sums);
    for (enum ranking_by by = RANKING_OBJECT; by <= RANKING_PROCESS; by++) {
        ranking_compute(by == RANKING_CLASS ? &joined : &sums, NULL, 0, by, &snapshot, &ranking);
        assert_string_equal(ranking.rows[0].name, "[others]");
        assert_int_equal(ranking.samples, 1000);
        ranking_free(&ranking);
    }
    site_sums_clear(&sums);
    assert_int_equal(sums.count, 0);
    add(&sums, 0, 7, 16, 10, 1);
    assert_int_equal(sums.count, 3);
    site_sums_free(&sums);
    site_sums_free(&joined);
}

static void metrics_of_things_come_from_samples(void **state)
{
    static const struct sampled_event events[] = {{.name = "larx"},
                                                  {.name = "instructions"},
                                                  {.name = "stcx"},
                                                  {.name = "cycles", .mode = 2}};
    const struct ranking_thing object = {RANKING_OBJECT, SITE_OBJECT, 0, 16, NULL},
                               machine = {.kind = SITE_ALL},
                               empty = {RANKING_OBJECT, SITE_OBJECT, 0, 48, NULL};
    struct site_sums sums;
    (void)state;
    site_sums_begin(&sums, SITES_MAX);
    add(&sums, 0, 0, 16, 1000, 30);
    add(&sums, 0, 0, 32, 1000, 10);
    add(&sums, 1, 0, 16, 100000, 25);
    add(&sums, 1, 0, 32, 100000, 75);
    streams(&sums, 4);
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metrics[i];
        struct metric_value value =
            ranking_metric(&sums, events, 4, metric, COUNT_ALL, &object, &snapshot);
        if (strcmp(metric->name, "spin contention") != 0) {
            assert_true(isnan(value.value)); // an event is not sampled, or in another mode
            continue;
        }
        near(value.value, 400 * 30000.0 / 2500000);
        double error = value.value * 2.576 * sqrt(1 / 30.0 + 1 / 25.0);
        assert_true(fabs(value.error - error) < 1e-3); // errors of counts are whole
        value = ranking_metric(&sums, events, 4, metric, COUNT_ALL, &machine, &snapshot);
        near(value.value, 400 * 40000.0 / 10000000);
        value = ranking_metric(&sums, events, 4, metric, COUNT_ALL, &empty, &snapshot);
        assert_true(isnan(value.value));
    }
    site_sums_free(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_kov_locks),
        cmocka_unit_test(rows_are_what_all_samples_say),
        cmocka_unit_test(one_thing_is_its_row),
        cmocka_unit_test(a_change_is_chance_or_is_not),
        cmocka_unit_test(one_of_one_against_none_of_many_is_chance),
        cmocka_unit_test(chance_is_counted_exactly),
        cmocka_unit_test(chance_of_rates_is_counted_exactly),
        cmocka_unit_test(alike_rates_rarely_seem_to_differ),
        cmocka_unit_test(a_rate_may_change_where_a_share_does_not),
        cmocka_unit_test(code_without_an_object_is_its_processes),
        cmocka_unit_test(hidden_processes_have_one_row_and_others_keep_their_shares),
        cmocka_unit_test(what_left_no_sample_is_told),
        cmocka_unit_test(what_has_no_room_is_among_others),
        cmocka_unit_test(metrics_of_things_come_from_samples),
    };
    return cmocka_run_group_tests_name("kov_ranking", tests, NULL, NULL);
}
