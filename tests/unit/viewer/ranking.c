// SPDX-License-Identifier: MIT
// Sums by site and rankings, against what all samples say that are kept, and against `kov locks`.
#include "unit.h"

#include "ranking_made.h"

#include "locks/contention.h"
#include "samples/sample_names.h"

#define EVENTS CONTENTION_EVENTS
#define CPUS 4

static u64 random_state;
static struct sample_set samples;

static u64 draw(u64 below)
{
    return unit_random(&random_state) % below;
}

// ---- samples -----------------------------------------------------------------------------------

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

static void streams(struct site_sums *sums, u32 events)
{
    for (u32 event = 0; event < events; event++)
        site_sums_add_stream(sums, &(struct site_stream){.event = event});
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

// What was counted has no samples, and there is no chance in it.
static void count(struct site_sums *sums, u32 cpu, u32 pid, coid_t coid, u64 number)
{
    site_sums_count(
        sums, (struct site){.kind = SITE_OBJECT, .pid = pid, .coid = coid, .event = 3, .cpu = cpu},
        number);
}

static void counted_objects_have_exact_shares(void **state)
{
    struct site_sums sums, before;
    struct ranking ranking;
    (void)state;
    fill_snapshot();
    site_sums_begin(&sums, SITES_MAX);
    site_sums_begin(&before, SITES_MAX);
    count(&sums, 0, 0, 16, 60);
    count(&sums, 1, 0, 16, 15);
    count(&sums, 1, 3, 32, 25);
    count(&before, 0, 0, 16, 10);
    count(&before, 0, 3, 32, 30);
    site_sums_add_stream(&sums, &(struct site_stream){.event = 3, .covered = 100});
    site_sums_add_stream(&before, &(struct site_stream){.event = 3, .covered = 100});
    for (enum ranking_by by = RANKING_OBJECT; by <= RANKING_PROCESS; by++) {
        ranking_compute(&sums, &before, 3, by, &snapshot, &ranking);
        assert_int_equal(ranking.count, 2);
        assert_int_equal(ranking.samples, 0);
        near(ranking.rows[0].events.value, 75);
        near(ranking.rows[0].share.value, 75);
        near(ranking.rows[1].share.value, 25);
        near(ranking.rows[0].before.value, 25);
        for (u32 i = 0; i < 2; i++) {
            near(ranking.rows[i].share.error, 0);
            near(ranking.rows[i].before.error, 0);
            near(ranking.rows[i].change.value, i == 0 ? 50 : -50);
            near(ranking.rows[i].change.error, 0);
            assert_false(ranking.rows[i].chance);
            assert_false(ranking.rows[i].rate_chance);
        }
        ranking_free(&ranking);
    }
    site_sums_free(&sums);
    site_sums_free(&before);
    snapshot_free(&snapshot);
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
        cmocka_unit_test(code_without_an_object_is_its_processes),
        cmocka_unit_test(hidden_processes_have_one_row_and_others_keep_their_shares),
        cmocka_unit_test(what_left_no_sample_is_told),
        cmocka_unit_test(counted_objects_have_exact_shares),
        cmocka_unit_test(what_has_no_room_is_among_others),
        cmocka_unit_test(metrics_of_things_come_from_samples),
    };
    return cmocka_run_group_tests_name("kov_ranking", tests, NULL, NULL);
}
