// SPDX-License-Identifier: MIT
// Sums of samples in place of samples. Whoever gets sums and whoever gets every sample of the same
// session count the same at each site, to the sample.
#include "watcher.h"

#include "bounds.h"

#include <string.h>

#define SITES_MAX 8192
#define ROUNDS 240 // enough to fill the queue of a client that does not read

// What a client was told of each site.
struct site {
    u32 index, cpu, kind, pid;
    u64 coid, weight, samples;
};

struct tally {
    struct site sites[SITES_MAX];
    u32 count;
    u64 period, before, changed_at; // of event 0; of another one it does not change
    u64 from, to;                   // of the last push of sums
    u64 others;
};

static struct tally tallies[3];

static void count(struct tally *tally, struct site site, u64 samples)
{
    struct site *found = NULL;
    for (u32 i = 0; i < tally->count && found == NULL; i++) {
        struct site *one = &tally->sites[i];
        if (one->index == site.index && one->cpu == site.cpu && one->kind == site.kind &&
            one->pid == site.pid && one->coid == site.coid && one->weight == site.weight)
            found = one;
    }
    if (found == NULL) {
        assert_true(tally->count < SITES_MAX);
        found = &tally->sites[tally->count++];
        *found = site;
    }
    found->samples += samples;
}

static void count_sample(struct tally *tally, u32 index, u32 cpu, const Orrery__Dci__Sample *sample)
{
    bool is_old = index == 0 && sample->time < tally->changed_at;
    struct site site = {.index = index, .cpu = cpu, .weight = is_old ? tally->before : 5000};
    if (index == 0 && !is_old)
        site.weight = tally->period;
    site.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL;
    count(tally, site, 1);
    if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_IDLE) {
        site.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_IDLE;
        count(tally, site, 1);
        return;
    }
    struct site object = site;
    object.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_NONE;
    if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_STALE)
        object.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STALE;
    if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_ATTRIBUTED) {
        object.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT;
        object.coid = sample->coid;
    }
    if (!(sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_KERNEL))
        object.pid = sample->pid;
    count(tally, object, 1);
    site.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_PROCESS;
    site.pid = sample->pid;
    count(tally, site, 1);
}

static void count_sums(struct tally *tally, const Orrery__Dci__SampleSums *sums)
{
    assert_true(sums->from >= tally->from && sums->to >= sums->from);
    tally->from = sums->from;
    tally->to = sums->to;
    for (size_t i = 0; i < sums->n_sums; i++) {
        const Orrery__Dci__SampleSum *sum = sums->sums[i];
        struct site site = {sum->index, sum->cpu, sum->kind, sum->pid, sum->coid, sum->weight, 0};
        assert_true(sum->samples > 0);
        count(tally, site, sum->samples);
        tally->others += sum->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_OBJECTS ||
                         sum->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_PROCESSES;
    }
}

static void see(void *context, const Orrery__Dci__Event *event)
{
    struct tally *tally = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES)
        for (size_t i = 0; i < event->samples->n_samples; i++)
            count_sample(tally, event->samples->index, event->samples->cpu,
                         event->samples->samples[i]);
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLE_SUMS)
        count_sums(tally, event->sample_sums);
    if (event->body_case != ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED)
        return;
    tally->before = tally->period;
    tally->period = event->sampling_changed->period;
    tally->changed_at = event->sampling_changed->time;
}

static void assert_same(const struct tally *left, const struct tally *right)
{
    assert_int_equal(left->count, right->count);
    for (u32 i = 0; i < left->count; i++) {
        const struct site *site = &left->sites[i];
        u32 j = 0;
        while (j < right->count && memcmp(&right->sites[j], site, sizeof(*site)) != 0)
            j++;
        assert_true(j < right->count);
    }
}

// Connects a client, which counts in the tally of this number.
static struct watcher connect(u32 number, const char *token)
{
    struct watcher watcher = watcher_connect(token, UINT64_MAX);
    memset(&tallies[number], 0, sizeof(tallies[number]));
    tallies[number].period = 5000;
    watcher.sees = see;
    watcher.context = &tallies[number];
    return watcher;
}

static request_t *start(bool sums, bool yielding, u32 except_pid)
{
    request_t *request = sampling_request(yielding, except_pid);
    request->sampling_start->sums = sums;
    return request;
}

static void samples_come(u64 count, u64 milliseconds)
{
    machine.samples[0] += count;
    machine.samples[1] += count / 2;
    time_pass(milliseconds);
}

static s64 change_period(struct watcher *watcher, u64 period)
{
    Orrery__Dci__SamplingChangeRequest change = ORRERY__DCI__SAMPLING_CHANGE_REQUEST__INIT;
    change.period = period;
    return watcher_ask(watcher, REQUEST(SAMPLING_CHANGE, sampling_change, &change));
}

static int reset_machine(void **state)
{
    (void)state;
    memset(machine.samples, 0, sizeof(machine.samples));
    memset(machine.samples_read, 0, sizeof(machine.samples_read));
    machine.sample_pids = machine.sample_sites != 0;
    return 0;
}

static int set_up(void **state)
{
    reset_machine(state);
    machine.sample_pids = true;
    machine.sample_sites = 40;
    return 0;
}

static int tear_down(void **state)
{
    machine.sample_sites = 0;
    reset_machine(state);
    return 0;
}

static void check_account(const struct watcher *member, const struct watcher *owner)
{
    assert_int_equal(member->before + member->given + member->missed, member->pushed);
    assert_int_equal(member->given, member->samples);
    assert_int_equal(member->pushed, owner->samples);
    assert_int_equal(member->pushed, member->taken - member->filtered);
}

// `sums`: those of the owner.
static void run_beside_each_other(bool sums)
{
    struct watcher owner = connect(0, CONTROLLER_TOKEN);
    struct watcher samples = connect(1, OBSERVER_TOKEN), summed = connect(2, OBSERVER_TOKEN);
    assert_int_equal(watcher_ask(&samples, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&summed, JOIN_SUMS), 0);
    assert_int_equal(watcher_ask(&owner, start(sums, false, 2)), 0);
    for (u32 i = 0; i < 100; i++) {
        samples_come(30 + i % 7, 50);
        if (i == 33 || i == 34 || i == 70)
            assert_int_equal(change_period(&owner, 5000 + i), 0);
        watcher_take(&samples);
        watcher_take(&summed);
    }
    machine.samples[0] += 100; // not read yet
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&samples);
    watcher_take(&summed);
    check_account(&samples, &owner);
    check_account(&summed, &owner);
    assert_true(samples.filtered > 0);
    assert_int_equal(samples.missed + summed.missed, 0);
    assert_same(&tallies[1], &tallies[2]);
    assert_same(&tallies[0], &tallies[1]);
    // 5 s, three changes, the end.
    assert_in_range(summed.pushes, 5, 5 + 3 + 1);
    assert_int_equal(tallies[2].others, 0);
    watcher_leaves(&owner);
    watcher_leaves(&samples);
    watcher_leaves(&summed);
}

static void a_member_with_samples_sees_what_an_owner_with_sums_sees(void **state)
{
    (void)state;
    run_beside_each_other(true);
}

static void a_member_with_sums_sees_what_an_owner_with_samples_sees(void **state)
{
    (void)state;
    run_beside_each_other(false);
}

// Its sums are of samples that were pushed to others before it came, too: the begin tells how many
// are not among them.
static void who_comes_late_gets_the_whole_push(void **state)
{
    (void)state;
    struct watcher owner = connect(0, CONTROLLER_TOKEN);
    assert_int_equal(watcher_ask(&owner, start(true, false, 0)), 0);
    samples_come(100, 1100);
    samples_come(100, 200);
    struct watcher summed = connect(1, OBSERVER_TOKEN), samples = connect(2, OBSERVER_TOKEN);
    assert_int_equal(watcher_ask(&summed, JOIN_SUMS), 0);
    assert_int_equal(watcher_ask(&samples, JOIN_SAMPLING), 0);
    assert_true(summed.before < samples.before);
    samples_come(100, 200);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&samples);
    watcher_take(&summed);
    check_account(&samples, &owner);
    check_account(&summed, &owner);
    watcher_leaves(&owner);
    watcher_leaves(&samples);
    watcher_leaves(&summed);
}

// An answer to sampling_stat says what was taken; the sums of that have come before.
static void sums_come_before_the_statistics(void **state)
{
    (void)state;
    struct watcher owner = connect(0, CONTROLLER_TOKEN), other = connect(1, OBSERVER_TOKEN);
    request_t *stat = EMPTY(SAMPLING_STAT, sampling_stat, SamplingStat, SAMPLING_STAT);
    assert_int_equal(watcher_ask(&owner, start(true, false, 0)), 0);
    machine.samples[0] = 700;
    machine.samples[1] = 300;
    assert_int_equal(watcher_ask(&other, stat), 0); // gets no sums
    watcher_take(&owner);
    assert_int_equal(owner.samples, 0);
    assert_int_equal(watcher_ask(&owner, stat), 0);
    assert_int_equal(owner.samples, 1000);
    assert_int_equal(tallies[0].to, machine.time);
    assert_int_equal(watcher_ask(&owner, stat), 0); // nothing new: nothing is pushed
    assert_int_equal(owner.pushes, 1);
    watcher_leaves(&owner);
    watcher_leaves(&other);
}

// It keeps nothing in the kernel's buffers. Many sites have one sum in the end, but no sample is
// lost.
static void an_owner_that_does_not_read_loses_sites_but_no_sample(void **state)
{
    (void)state;
    machine.sample_sites = 600; // each in several spaces and on each CPU: more than have room
    struct watcher owner = watcher_connect(CONTROLLER_TOKEN, 100);
    owner.sees = see;
    owner.context = &tallies[0];
    memset(&tallies[0], 0, sizeof(tallies[0]));
    struct watcher member = watcher_connect(OBSERVER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    peer_give_room(owner.peer, 100);
    assert_int_equal(watcher_ask(&owner, start(true, false, 0)), 0);
    for (u32 i = 0; i < ROUNDS; i++) {
        samples_come(2000, 15);
        watcher_take(&member);
    }
    assert_int_equal(machine.samples[0] + machine.samples[1], 0);
    assert_int_equal(member.samples, ROUNDS * 3000);
    for (u32 i = 0; i < 1000; i++)
        peer_give_room(owner.peer, 1000000);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&member);
    assert_int_equal(owner.samples, ROUNDS * 3000);
    assert_true(tallies[0].others > 0);
    check_account(&member, &owner);
    watcher_leaves(&owner);
    watcher_leaves(&member);
}

static u64 all_of(const struct tally *tally)
{
    u64 samples = 0;
    for (u32 i = 0; i < tally->count; i++)
        if (tally->sites[i].kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL)
            samples += tally->sites[i].samples;
    return samples;
}

static void who_goes_or_is_displaced_leaves_the_exact_end(void **state)
{
    (void)state;
    struct watcher gateway = connect(0, CONTROLLER_TOKEN), member = connect(1, OBSERVER_TOKEN);
    struct watcher recorder = connect(2, CONTROLLER_TOKEN);
    assert_int_equal(watcher_ask(&gateway, JOIN_SUMS), 0);
    assert_int_equal(watcher_ask(&member, JOIN_SUMS), 0);
    assert_int_equal(watcher_ask(&gateway, start(true, true, 0)), 0);
    samples_come(500, 300);
    machine.samples[0] += 400;
    gateway.running = true;
    assert_int_equal(watcher_ask(&recorder, start(false, false, 0)), 0);
    watcher_take(&gateway);
    watcher_take(&member);
    assert_int_equal(gateway.pushed, 1150);
    assert_int_equal(all_of(&tallies[0]), 1150);
    assert_int_equal(member.pushed, 1150);
    assert_int_equal(gateway.begun, 1); // of the recorder's, as a member
    reset_machine(state);
    machine.samples[0] = 300;
    watcher_leaves(&recorder);
    watcher_take(&gateway);
    watcher_take(&member);
    assert_int_equal(gateway.samples, 300);
    assert_int_equal(member.samples, 300);
    assert_int_equal(member.pushed, 300);
    assert_int_equal(member.reason, ORRERY__DCI__SHARING_END__SHARING_END_OWNER_GONE);
    watcher_leaves(&gateway);
    watcher_leaves(&member);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_member_with_samples_sees_what_an_owner_with_sums_sees),
        TEST(a_member_with_sums_sees_what_an_owner_with_samples_sees),
        TEST(who_comes_late_gets_the_whole_push),
        TEST(sums_come_before_the_statistics),
        TEST(an_owner_that_does_not_read_loses_sites_but_no_sample),
        TEST(who_goes_or_is_displaced_leaves_the_exact_end),
    };

    return cmocka_run_group_tests(tests, server_start, NULL);
}
