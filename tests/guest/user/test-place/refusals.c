// SPDX-License-Identifier: MIT
// What sys_place refuses, and that it then changes nothing: each error, and random calls against a
// model of what should have come.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/thread.h>
#include <waiting.h>

#define SUBJECTS 6
#define NOBODY 999999

static s64 get(s64 pid, struct sys_placement *place)
{
    s64 error = sys_place_get((u32)pid, place);

    place->flags &= ~PLACE_SERVES;
    return error;
}

static bool same(const struct sys_placement *one, const struct sys_placement *other)
{
    return memcmp(one, other, sizeof(*one)) == 0;
}

int without_right(void)
{
    struct sys_placement place = {.cpus = 1};

    EXPECT(sys_place((u32)sys_process_pid(0), &place) == E_PERM);
    EXPECT(sys_place(1, &place) == E_PERM);
    EXPECT(sys_place_get(1, &place) == E_PERM);
    EXPECT(sys_place_get(NOBODY, &place) == E_PERM);
    EXPECT(get(0, &place) == 0 && place.cpus == 0 && place.priority == 0 && place.slice_ms == 0);
    return expect_status();
}

static void refuse_bad_places(s64 pid)
{
    const struct sys_placement bad[] = {
        {.cpus = 1UL << cpus()},
        {.cpus = 1UL << 63 | 1},
        {.cpus = ~0UL},
        {.priority = PROCESS_SERVER},
        {.priority = UINT32_MAX},
        {.slice_ms = PLACE_SLICE_MIN - 1},
        {.slice_ms = PLACE_SLICE_MAX + 1},
        {.slice_ms = UINT32_MAX},
        {.flags = PLACE_PINNED | PLACE_UNPINNED},
        {.flags = PLACE_SERVES},
        {.flags = 1u << 31},
        {.cpus = 1, .priority = PROCESS_LOW, .slice_ms = 20, .spread = 1},
        {.cpus = 1, .spread = 2},
        {.cpus = 1, .spread = 1u << 31},
        {.slice_ms = 20, .spread = 1},
    };
    struct sys_placement before, after;

    EXPECT(get(pid, &before) == 0);
    for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
        EXPECT(sys_place((u32)pid, &bad[i]) == E_INVAL);
        EXPECT(get(pid, &after) == 0 && same(&before, &after));
    }
}

void test_refusals(void)
{
    struct sys_placement place = {.cpus = 1, .flags = PLACE_PINNED}, got;
    s64 pid = start("sleep", 0, 0);

    EXPECT(wait_for(start("without-right", RIGHT_ALL & ~RIGHT_PLACE, 0)) == 0);
    refuse_bad_places(pid);
    EXPECT(sys_place(0, &place) == E_NOENT);
    EXPECT(sys_place(NOBODY, &place) == E_NOENT);
    EXPECT(sys_place_get(NOBODY, &got) == E_NOENT);
    EXPECT(sys_place((u32)pid, &place) == 0 && get(pid, &got) == 0 && same(&place, &got));
    EXPECT(sys_place((u32)pid, &got) == 0 && get(pid, &got) == 0 && same(&place, &got));
    place.flags = PLACE_UNPINNED;
    EXPECT(sys_place((u32)pid, &place) == 0 && get(pid, &got) == 0 && got.flags == 0);
    EXPECT(sys_process_kill((u32)pid, 7) == 0);
    EXPECT(WAIT_FOR(sys_place((u32)pid, &place) == E_NOENT)); // E_PEER before
    EXPECT(sys_place_get((u32)pid, &got) == E_NOENT);
    EXPECT(wait_for(pid) == 7);
    s64 endpoint = sys_endpoint_create(0);
    EXPECT(endpoint > 0 && sys_place_get(0, &got) == 0 && (got.flags & PLACE_SERVES) != 0);
}

// ---- random calls -------------------------------------------------------------------------------

static u64 one_of(const u64 *values, u64 count)
{
    return values[random_below(count)];
}

static struct sys_placement random_place(void)
{
    const u64 all = (2UL << (cpus() - 1)) - 1;
    const u64 masks[] = {0, 0, 1, 2, 3, all, all + 1, 1UL << 63, ~0UL};
    const u64 priorities[] = {0, 0, 1, 2, 3, 4, 5, UINT32_MAX};
    const u64 slices[] = {0, 0, 9, 10, 15, 640, 641, UINT32_MAX};
    const u64 flags[] = {0, 0, 1, 2, 3, 4, 1u << 31};
    const u64 spreads[] = {0, 0, 0, 0, 0, 1, 2, 3, 1u << 31};

    return (struct sys_placement){.cpus = one_of(masks, ARRAY_SIZE(masks)),
                                  .priority = (u32)one_of(priorities, ARRAY_SIZE(priorities)),
                                  .slice_ms = (u32)one_of(slices, ARRAY_SIZE(slices)),
                                  .flags = (u32)one_of(flags, ARRAY_SIZE(flags)),
                                  .spread = (u32)one_of(spreads, ARRAY_SIZE(spreads))};
}

static bool is_valid(const struct sys_placement *place)
{
    bool cpus_exist = place->cpus < 2UL << (cpus() - 1);
    bool slice = place->slice_ms == 0 || (place->slice_ms >= 10 && place->slice_ms <= 640);

    bool spread = (place->spread | place->cpus) == place->cpus &&
                  (place->spread == 0 || place->spread < place->cpus);

    return cpus_exist && slice && place->priority <= PROCESS_HIGH && place->flags < 3 && spread;
}

static void model_place(struct sys_placement *model, const struct sys_placement *place)
{
    model->spread = place->cpus != 0 ? place->spread : model->spread;
    model->cpus = place->cpus != 0 ? place->cpus : model->cpus;
    model->priority = place->priority != 0 ? place->priority : model->priority;
    model->slice_ms = place->slice_ms != 0 ? place->slice_ms : model->slice_ms;
    model->flags = place->flags != 0 ? place->flags & PLACE_PINNED : model->flags;
}

// Each result is what the model says. Of processes that sleep: urgent ones would keep the test
// itself from running.
void test_random(void)
{
    struct sys_placement models[SUBJECTS] = {0}, got;
    s64 pids[SUBJECTS];
    u32 wrong = 0;
    u64 calls = option("calls", 100000);

    for (u32 i = 0; i < SUBJECTS; i++)
        pids[i] = start("sleep", 0, i % cpus());
    for (u64 i = 0; i < calls; i++) {
        u32 subject = (u32)random_below(SUBJECTS);
        struct sys_placement place = random_place();
        s64 expected = is_valid(&place) ? 0 : E_INVAL;
        wrong += sys_place((u32)pids[subject], &place) != expected;
        if (expected == 0)
            model_place(&models[subject], &place);
        wrong += get(pids[subject], &got) != 0 || !same(&got, &models[subject]);
    }
    printf("%llu random calls, %u wrong\n", (unsigned long long)calls, wrong);
    EXPECT(wrong == 0);
    for (u32 i = 0; i < SUBJECTS; i++)
        end(pids[i]);
}

// ---- beside ends --------------------------------------------------------------------------------

static volatile bool storm_over;
static u32 storm_pids[SUBJECTS];

static s64 place_any(void *argument)
{
    u64 placed = 0;

    (void)argument;
    while (!storm_over) {
        struct sys_placement place = {.cpus = 1UL << random_below(cpus()),
                                      .priority = 1 + (u32)random_below(2),
                                      .slice_ms = 10 + (u32)random_below(600)};
        u32 pid = __atomic_load_n(&storm_pids[random_below(SUBJECTS)], __ATOMIC_RELAXED);
        s64 error = sys_place(pid, &place);
        EXPECT(error == 0 || error == E_NOENT || error == E_PEER);
        placed += error == 0;
        thread_yield();
    }
    return (s64)placed;
}

// Processes are placed while they start and end.
void test_storm(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *placer;
    s64 placed = 0;

    storm_over = false;
    attributes.cpu = cpus() - 1;
    attributes.pinned = true;
    EXPECT(thread_create(&placer, &attributes, place_any, NULL) == 0);
    for (u32 round = 0; round < 100; round++) {
        u32 place = round % SUBJECTS;
        s64 pid = start(round % 2 ? "yield" : "ignore", 0, round % cpus());
        EXPECT(pid > 0);
        __atomic_store_n(&storm_pids[place], (u32)pid, __ATOMIC_RELAXED);
        thread_sleep_us(random_below(3000));
        end(pid);
    }
    storm_over = true;
    EXPECT(thread_join(placer, &placed) == 0);
    printf("%lld placements beside ends\n", (long long)placed);
}
