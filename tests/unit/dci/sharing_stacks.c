// SPDX-License-Identifier: MIT
// Sums of samples by stack. Whoever gets them and whoever gets every sample of the same session
// count the same at each stack, to the sample, whoever comes late, goes or does not read.
#include "watcher.h"

#include "bounds.h"
#include "sample_stacks.h"

#include <stdlib.h>
#include <string.h>

#define COUNTS_MAX 65536
#define NUMBERS_MAX (STACKS_MAX + 1)
#define CALLERS 16
#define SAMPLING_STATISTIC EMPTY(SAMPLING_STAT, sampling_stat, SamplingStat, SAMPLING_STAT)
#define OTHERS UINT32_MAX // `index` of what had no room

struct place {
    u64 pc, coid, callers[CALLERS];
    u32 index, cpu, pid, kernel, kind;
};

struct tally {
    struct place *places; // sorted when compared
    u64 *samples;
    u32 count;
    u64 all, idle, others, unknown; // samples; unknown: of numbers without frames
    u64 table, tables;
    struct place stacks[NUMBERS_MAX];
    bool known[NUMBERS_MAX];
    u64 told;   // frames of stacks
    u64 pushes; // of stacks
};

static struct tally tallies[3];

static u32 slot_of(const struct tally *tally, const struct place *place)
{
    u64 hash = place->pc * 31 + place->coid * 7 + place->pid * 13 + place->cpu + place->index * 3;
    for (u32 i = 0; i < CALLERS; i++)
        hash = (hash ^ place->callers[i]) * 0x9e3779b97f4a7c15u;
    u32 slot = (u32)(hash >> 40) % COUNTS_MAX;
    while (tally->samples[slot] != 0 && memcmp(&tally->places[slot], place, sizeof(*place)) != 0)
        slot = (slot + 1) % COUNTS_MAX;
    return slot;
}

static void count(struct tally *tally, const struct place *place, u64 samples)
{
    u32 slot = slot_of(tally, place);
    assert_true(tally->count < COUNTS_MAX / 2);
    tally->count += tally->samples[slot] == 0;
    tally->places[slot] = *place;
    tally->samples[slot] += samples;
}

static void count_sample(struct tally *tally, u32 index, u32 cpu, const Orrery__Dci__Sample *sample)
{
    struct place place = {.index = index, .cpu = cpu, .pc = sample->pc, .pid = sample->pid};
    tally->all++;
    if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_IDLE) {
        tally->idle++;
        return;
    }
    place.kernel = (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_KERNEL) != 0;
    place.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_NONE;
    if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_ATTRIBUTED) {
        place.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT;
        place.coid = sample->coid;
    } else if (sample->flags & ORRERY__DCI__SAMPLE_FLAGS__SAMPLE_STALE) {
        place.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STALE;
    }
    memcpy(place.callers, sample->callers, sample->n_callers * sizeof(u64));
    count(tally, &place, 1);
}

static void learn(struct tally *tally, const Orrery__Dci__SampleStack *stack)
{
    struct place place = {.pc = stack->pc,
                          .coid = stack->coid,
                          .pid = stack->pid,
                          .kernel = stack->kernel,
                          .kind = stack->kind};
    assert_in_range(stack->number, 1, STACKS_MAX);
    assert_true(stack->n_callers <= CALLERS);
    memcpy(place.callers, stack->callers, stack->n_callers * sizeof(u64));
    if (tally->known[stack->number]) // one number, one stack
        assert_memory_equal(&tally->stacks[stack->number], &place, sizeof(place));
    tally->stacks[stack->number] = place;
    tally->known[stack->number] = true;
    tally->told++;
}

static void count_stacks(struct tally *tally, const Orrery__Dci__SampleStacks *stacks)
{
    tally->pushes++;
    if (stacks->table != tally->table) {
        memset(tally->known, 0, sizeof(tally->known));
        tally->table = stacks->table;
        tally->tables++;
    }
    for (size_t i = 0; i < stacks->n_stacks; i++)
        learn(tally, stacks->stacks[i]);
    for (size_t i = 0; i < stacks->n_sums; i++) {
        const Orrery__Dci__SampleSum *sum = stacks->sums[i];
        assert_int_equal(sum->weight, 5000);
        if (sum->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_STACKS) {
            assert_int_equal(sum->stack, 0);
            tally->others += sum->samples;
            continue;
        }
        assert_int_equal(sum->kind, ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STACK);
        assert_in_range(sum->stack, 1, STACKS_MAX);
        if (!tally->known[sum->stack]) {
            tally->unknown += sum->samples;
            continue;
        }
        struct place place = tally->stacks[sum->stack];
        place.index = sum->index;
        place.cpu = sum->cpu;
        count(tally, &place, sum->samples);
    }
}

static void see(void *context, const Orrery__Dci__Event *event)
{
    struct tally *tally = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES)
        for (size_t i = 0; i < event->samples->n_samples; i++)
            count_sample(tally, event->samples->index, event->samples->cpu,
                         event->samples->samples[i]);
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLE_STACKS)
        count_stacks(tally, event->sample_stacks);
    for (size_t i = 0;
         event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLE_SUMS && i < event->sample_sums->n_sums;
         i++) {
        const Orrery__Dci__SampleSum *sum = event->sample_sums->sums[i];
        assert_true(sum->kind < ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STACK);
        tally->all += sum->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL ? sum->samples : 0;
        tally->idle += sum->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_IDLE ? sum->samples : 0;
    }
}

static u64 in_stacks(const struct tally *tally)
{
    u64 samples = 0;
    for (u32 slot = 0; slot < COUNTS_MAX; slot++)
        samples += tally->samples[slot];
    return samples;
}

static void assert_same(const struct tally *left, const struct tally *right)
{
    assert_int_equal(left->count, right->count);
    assert_int_equal(left->all, right->all);
    assert_int_equal(left->idle, right->idle);
    for (u32 slot = 0; slot < COUNTS_MAX; slot++)
        if (left->samples[slot] != 0)
            assert_int_equal(right->samples[slot_of(right, &left->places[slot])],
                             left->samples[slot]);
}

static struct watcher connect(u32 number, const char *token, u64 room)
{
    struct watcher watcher = watcher_connect(token, room);
    watcher.sees = see;
    watcher.context = &tallies[number];
    return watcher;
}

static request_t *start(bool sums, bool stacks)
{
    request_t *request = sampling_request(false, 0);
    request->sampling_start->sums = sums;
    request->sampling_start->stacks = stacks;
    return request;
}

static void samples_come(u64 count, u64 milliseconds)
{
    machine.samples[0] += count;
    machine.samples[1] += count / 2;
    time_pass(milliseconds);
}

static int set_up(void **state)
{
    (void)state;
    memset(machine.samples, 0, sizeof(machine.samples));
    memset(machine.samples_read, 0, sizeof(machine.samples_read));
    memset(tallies, 0, sizeof(tallies));
    for (u32 i = 0; i < ARRAY_SIZE(tallies); i++) {
        tallies[i].table = UINT64_MAX;
        tallies[i].places = calloc(COUNTS_MAX, sizeof(struct place));
        tallies[i].samples = calloc(COUNTS_MAX, sizeof(u64));
    }
    machine.sample_pids = true;
    machine.sample_sites = 5;
    machine.sample_stacks = 2;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(tallies); i++) {
        free(tallies[i].places);
        free(tallies[i].samples);
    }
    memset(machine.samples, 0, sizeof(machine.samples));
    memset(machine.samples_read, 0, sizeof(machine.samples_read));
    machine.sample_pids = false;
    machine.sample_sites = machine.sample_stacks = 0;
    return 0;
}

// `stacks` stacks of few sites; the owner gets stacks itself, or single samples.
static void run_beside_each_other(u32 stacks, bool owner_gets_stacks, u64 count)
{
    machine.sample_stacks = stacks;
    struct watcher owner = connect(0, CONTROLLER_TOKEN, UINT64_MAX);
    struct watcher samples = connect(1, OBSERVER_TOKEN, UINT64_MAX);
    struct watcher stacked = connect(2, OBSERVER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&samples, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&stacked, JOIN_STACKS), 0);
    assert_int_equal(watcher_ask(&owner, start(owner_gets_stacks, owner_gets_stacks)), 0);
    for (u32 i = 0; i < 100; i++) {
        samples_come(count + i % 7, 50);
        watcher_take(&samples);
        watcher_take(&stacked);
        watcher_take(&owner);
    }
    machine.samples[0] += 100; // not read yet
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&samples);
    watcher_take(&stacked);
    assert_true(tallies[1].count > 10);
    for (u32 i = 0; i < ARRAY_SIZE(tallies); i++) {
        assert_int_equal(tallies[i].others + tallies[i].unknown, 0);
        assert_same(&tallies[1], &tallies[i]);
        assert_int_equal(in_stacks(&tallies[i]), tallies[i].all - tallies[i].idle);
    }
    assert_int_equal(tallies[1].pushes, 0); // has not asked for it
    watcher_leaves(&owner);
    watcher_leaves(&samples);
    watcher_leaves(&stacked);
}

static void members_count_at_each_stack_what_single_samples_do(void **state)
{
    (void)state;
    run_beside_each_other(2, false, 60);
    assert_int_equal(tallies[2].tables, 1);
}

static void so_does_an_owner_and_frames_are_told_once(void **state)
{
    (void)state;
    run_beside_each_other(2, true, 60);
    assert_int_equal(tallies[0].tables, 1);
    // The member came before the first sample: nobody was told a stack twice.
    u64 known = 0;
    for (u32 i = 1; i < NUMBERS_MAX; i++)
        known += tallies[0].known[i];
    assert_int_equal(tallies[0].told, known);
    assert_int_equal(tallies[2].told, known);
}

static void more_stacks_than_a_table_has_take_another_one(void **state)
{
    (void)state;
    run_beside_each_other(30, false, 100);
    assert_true(tallies[2].tables > 3);
    assert_true(tallies[2].count > STACKS_MAX);
}

static void who_comes_late_learns_all_frames(void **state)
{
    (void)state;
    struct watcher owner = connect(0, CONTROLLER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&owner, start(true, true)), 0);
    for (u32 i = 0; i < 30; i++)
        samples_come(300, 100);
    struct watcher late = connect(2, OBSERVER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&late, JOIN_STACKS), 0);
    for (u32 i = 0; i < 30; i++)
        samples_come(300, 100);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&late);
    watcher_take(&owner);
    assert_int_equal(tallies[0].unknown + tallies[2].unknown, 0);
    assert_true(in_stacks(&tallies[2]) > 10000);
    assert_int_equal(in_stacks(&tallies[2]), tallies[2].all - tallies[2].idle);
    assert_int_equal(in_stacks(&tallies[0]), tallies[0].all - tallies[0].idle);
    watcher_leaves(&owner);
    watcher_leaves(&late);
}

// The owner does not read. Its stacks wait, and those without room are in "others"; a member that
// does not read is told the frames again once it does.
static void who_does_not_read_loses_stacks_but_knows_how_many(void **state)
{
    (void)state;
    machine.sample_stacks = 30;
    struct watcher owner = connect(0, CONTROLLER_TOKEN, 100);
    assert_int_equal(watcher_ask(&owner, start(true, true)), 0);
    for (u32 i = 0; i < 240; i++)
        samples_come(2000, 15);
    assert_int_equal(machine.samples[0] + machine.samples[1], 0);
    for (u32 i = 0; i < 2000; i++)
        peer_give_room(owner.peer, 1000000);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    assert_int_equal(tallies[0].all, 240 * 3000);
    assert_true(tallies[0].others > 0);
    assert_int_equal(tallies[0].unknown, 0);
    assert_int_equal(in_stacks(&tallies[0]) + tallies[0].others, tallies[0].all - tallies[0].idle);
    watcher_leaves(&owner);
}

static void a_member_that_missed_frames_learns_them_later(void **state)
{
    (void)state;
    machine.sample_stacks = 8;
    struct watcher owner = connect(0, CONTROLLER_TOKEN, UINT64_MAX);
    struct watcher lazy = connect(2, OBSERVER_TOKEN, 200);
    assert_int_equal(watcher_ask(&owner, start(true, true)), 0);
    assert_int_equal(watcher_ask(&lazy, JOIN_STACKS), 0);
    for (u32 i = 0; i < 100; i++) {
        samples_come(1000, 300);
        watcher_take(&owner);
    }
    for (u32 i = 0; i < 2000; i++)
        peer_give_room(lazy.peer, 1000000);
    watcher_take(&lazy);
    assert_true(lazy.missed > 0 || tallies[2].all < tallies[0].all);
    samples_come(1000, 1100); // the frames come again with these
    watcher_take(&lazy);
    u64 unknown = tallies[2].unknown;
    for (u32 i = 0; i < 10; i++) {
        samples_come(1000, 300);
        watcher_take(&lazy);
    }
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_take(&lazy);
    assert_int_equal(tallies[2].unknown, unknown);
    assert_int_equal(in_stacks(&tallies[0]), tallies[0].all - tallies[0].idle);
    watcher_leaves(&owner);
    watcher_leaves(&lazy);
}

// Each who comes has to be told all frames, which others get, too: but not for each anew.
static void who_comes_and_goes_has_frames_told_once_in_a_while(void **state)
{
    (void)state;
    machine.sample_stacks = 8;
    struct watcher owner = connect(0, CONTROLLER_TOKEN, UINT64_MAX);
    struct watcher restless = connect(2, OBSERVER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&owner, start(true, true)), 0);
    for (u32 i = 0; i < 30; i++)
        samples_come(300, 100);
    watcher_take(&owner);
    u64 told = tallies[0].told;
    for (u32 i = 0; i < 50; i++) {
        assert_int_equal(watcher_ask(&restless, JOIN_STACKS), 0);
        samples_come(60, 20); // a second in all
        assert_int_equal(watcher_ask(&owner, SAMPLING_STATISTIC), 0);
        assert_int_equal(watcher_ask(&restless, LEAVE_SAMPLING), 0);
        watcher_take(&restless);
        restless.running = false; // it has left a session that goes on
    }
    watcher_take(&owner);
    assert_in_range(tallies[0].told, told + 1, 3 * told);
    assert_int_equal(tallies[0].unknown, 0);
    watcher_leaves(&owner);
    watcher_leaves(&restless);
}

static void stacks_need_sums(void **state)
{
    (void)state;
    struct watcher client = connect(0, CONTROLLER_TOKEN, UINT64_MAX);
    request_t *request = JOIN_STACKS;
    request->sampling_join->sums = false;
    assert_int_equal(watcher_ask(&client, request), E_INVAL);
    assert_int_equal(watcher_ask(&client, start(false, true)), E_INVAL);
    assert_int_equal(watcher_ask(&client, JOIN_STACKS), 0); // it was no member yet
    watcher_leaves(&client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(members_count_at_each_stack_what_single_samples_do),
        TEST(so_does_an_owner_and_frames_are_told_once),
        TEST(more_stacks_than_a_table_has_take_another_one),
        TEST(who_comes_late_learns_all_frames),
        TEST(who_does_not_read_loses_stacks_but_knows_how_many),
        TEST(a_member_that_missed_frames_learns_them_later),
        TEST(who_comes_and_goes_has_frames_told_once_in_a_while),
        TEST(stacks_need_sums),
    };

    return cmocka_run_group_tests(tests, server_start, NULL);
}
