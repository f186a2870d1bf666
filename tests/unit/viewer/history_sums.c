// SPDX-License-Identifier: MIT
// Sums that the machine made of its samples, against the samples that they are of.
#include "unit.h"

#include "history_made.h"

#include "samples/decode_sums.h"

// Makes the site of a sample by hand: what the machine would count it as.
static struct site_sum sum_of(const struct sample *sample, enum site_kind kind)
{
    double weight = (double)sample->weight;
    u8 turn = SYS_SAMPLE_TURN_OF(sample->flags);
    struct site_sum sum = {
        .site = {.kind = (u8)kind, .event = (u8)sample->index, .cpu = (u8)sample->cpu},
        .samples = 1,
        .events = sample->weight,
        .square = weight * weight,
        .first_turn = turn,
        .latest_turn = turn,
        .latest_events = weight};
    if (kind == SITE_PROCESS)
        sum.site.pid = sample->pid;
    if (kind == SITE_OBJECT)
        sum.site.coid = sample->coid; // of the kernel
    return sum;
}

static void add_sums_of(struct history *to, const struct sample *sample)
{
    static const enum site_kind kinds[] = {SITE_ALL, SITE_PROCESS, SITE_OBJECT};
    for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct site_sum sum = sum_of(sample, kinds[i]);
        history_add_sum(to, &sum, sample->time - 10, sample->time + 10);
    }
}

static const struct site_sum *find_site(const struct site_sums *sums, const struct site *site)
{
    for (size_t i = 0; i < sums->count; i++)
        if (sums->sums[i].site.kind == site->kind && sums->sums[i].site.coid == site->coid &&
            sums->sums[i].site.pid == site->pid && sums->sums[i].site.cpu == site->cpu &&
            sums->sums[i].site.event == site->event)
            return &sums->sums[i];
    return NULL;
}

// A history of sums is the one of the samples that they are of, with turns and in each cell.
static void sums_are_as_good_as_samples(void **state)
{
    struct site_sums singly, summed;
    struct history_range range;
    (void)state;
    struct history *other = history_new(HISTORY_BYTES_MIN, BOOT, HERTZ);
    history_begin_session(other, now, &events);
    for (u32 i = 0; i < 5; i++) {
        for (u32 j = 0; j < 200; j++) {
            struct sample sample =
                sample_at(now + j * (SECOND / 200) + 10, (u32)draw(2), 16 * (1 + draw(5)));
            sample.pid = (u32)draw(3);
            sample.flags |= (u32)(j / 20) << 8;
            history_add(history, &sample);
            add_sums_of(other, &sample);
        }
        second();
        assert_true(history_close_cell(other, now, &session));
    }
    for (u32 from = 10; from < 15; from++) {
        site_sums_begin(&singly, SITES_MAX);
        site_sums_begin(&summed, SITES_MAX);
        assert_true(history_range(history, ns(from), ns(from + 2), &singly, &range));
        assert_true(history_range(other, ns(from), ns(from + 2), &summed, &range));
        assert_int_equal(singly.count, summed.count);
        for (size_t i = 0; i < singly.count; i++) {
            const struct site_sum *one = &singly.sums[i], *same = find_site(&summed, &one->site);
            assert_non_null(same);
            assert_int_equal(one->samples, same->samples);
            assert_int_equal(one->events, same->events);
            assert_true(one->square == same->square);
            assert_true(site_sum_turn_squares(one) == site_sum_turn_squares(same));
        }
        site_sums_free(&singly);
        site_sums_free(&summed);
    }
    history_free(other);
}

static Orrery__Dci__SampleSum message_of(u32 kind, u64 coid)
{
    Orrery__Dci__SampleSum sum = ORRERY__DCI__SAMPLE_SUM__INIT;
    sum.kind = (Orrery__Dci__SampleSumKind)kind;
    sum.coid = coid;
    sum.cpu = 1;
    sum.weight = 1000;
    sum.samples = 7; // two in turn 3, three in turn 4, two in turn 5
    sum.first_turn = 3;
    sum.first_samples = 2;
    sum.latest_turn = 5;
    sum.latest_samples = 2;
    sum.turn_squares = 9;
    return sum;
}

static void take_sum(void *context, const struct site_sum *sum, u64 from, u64 to)
{
    assert_ptr_equal(context, history);
    history_add_sum(history, sum, from, to);
}

// A message's sums are those of its samples, in the history and in the set's counts; what makes no
// sense in it is left out.
static void a_message_has_the_sums_of_its_samples(void **state)
{
    static const u32 turns[] = {3, 3, 4, 4, 4, 5, 5};
    Orrery__Dci__SampleSum sums[8], *pointers[ARRAY_SIZE(sums)];
    Orrery__Dci__SampleSums message = ORRERY__DCI__SAMPLE_SUMS__INIT;
    struct sample_set singly = {0}, set = {0};
    struct site_sums expected, got;
    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(sums); i++) {
        sums[i] = message_of(ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL, 0);
        pointers[i] = &sums[i];
    }
    sums[0].coid = 9; // of all there is one site, whatever else it says
    sums[0].pid = 5;
    sums[1] = message_of(ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT, 16);
    sums[2] = message_of(ORRERY__DCI__SAMPLE_SUM_KIND__SUM_PROCESS, 0);
    sums[3].kind = (Orrery__Dci__SampleSumKind)-1;
    sums[4].cpu = ORRERY_MAX_CPUS;
    sums[5].samples = (u64)UINT32_MAX + 1;
    sums[6].latest_samples = 8;
    sums[7].index = SAMPLED_EVENTS_MAX;
    message.sums = pointers;
    message.n_sums = ARRAY_SIZE(sums);
    message.from = now;
    message.to = now + 100;
    samples_begin(&singly, &events, now);
    singly.count_only = true;
    site_sums_begin(&expected, SITES_MAX);
    for (u32 i = 0; i < ARRAY_SIZE(turns); i++) {
        struct sample sample = sample_at(now + i, 0, 16);
        sample.cpu = 1;
        sample.flags |= turns[i] << 8;
        samples_add(&singly, &sample);
        site_sums_add(&expected, 0, &sample);
    }
    assert_int_equal(decode_sample_sums(&message, &set, take_sum, history), 7);
    assert_memory_equal(&set.totals, &singly.totals, sizeof(set.totals));
    const struct sample_stream *one = samples_stream(&singly, 1, 0);
    const struct sample_stream *same = samples_stream(&set, 1, 0);
    assert_int_equal(same->received, one->received);
    assert_memory_equal(&same->sum, &one->sum, sizeof(one->sum));
    samples_stream(&session, 1, 0)->taken = 7;
    second();
    site_sums_begin(&got, SITES_MAX);
    assert_true(history_range(history, ns(10), ns(11), &got, &(struct history_range){0}));
    assert_int_equal(got.count, expected.count);
    for (size_t i = 0; i < expected.count; i++) {
        const struct site_sum *sum = find_site(&got, &expected.sums[i].site);
        assert_non_null(sum);
        assert_int_equal(sum->events, expected.sums[i].events);
        assert_true(site_sum_turn_squares(sum) == site_sum_turn_squares(&expected.sums[i]));
    }
    site_sums_free(&got);
    site_sums_free(&expected);
    samples_free(&set);
    samples_free(&singly);
}

static void absurd_sums_are_refused(void **state)
{
    (void)state;
    struct sample sample = sample_at(now + 5, 0, 16);
    struct site_sum sum = sum_of(&sample, SITE_ALL);
    sum.samples = 7;
    sum.site.event = 2; // the session has two events
    history_add_sum(history, &sum, now, now + 10);
    assert_int_equal(history_account(history).refused, 7);
    sum.site.event = 0;
    sum.site.cpu = ORRERY_MAX_CPUS;
    history_add_sum(history, &sum, now, now + 10);
    assert_int_equal(history_account(history).refused, 14);
    sum.site.cpu = 0;
    history_add_sum(history, &sum, UINT64_MAX, 0); // goes backwards: of no time before the cells
    assert_int_equal(history_account(history).late, 7);
    assert_int_equal(history_account(history).refused, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_are_as_good_as_samples, begin, end),
        cmocka_unit_test_setup_teardown(a_message_has_the_sums_of_its_samples, begin, end),
        cmocka_unit_test_setup_teardown(absurd_sums_are_refused, begin, end),
    };
    return cmocka_run_group_tests_name("kov_history_sums", tests, NULL, NULL);
}
