// SPDX-License-Identifier: MIT
// The table of sums against one that keeps every sample of every site, and looks through all of
// them: sites, turns, others when there is no room, sums that are taken away at any time.
#include "sample_sums.h"

#include <dci/dci.pb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES_KEPT (SUMS_SITES_MAX + 256)
#define SAMPLES_A_SITE 4096

// A site, and the turn of each of its samples.
struct naive {
    coid_t coid;
    u32 pid, weight, kind, index, cpu;
    u32 count, soft_masked;
    u8 turns[SAMPLES_A_SITE];
};

static struct sample_sums sums;
static struct naive *sites;
static u32 site_count, bounded;
static u64 state = 0x1234567;

static u32 draw(u32 below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (u32)(state >> 33) % below;
}

static int begin(void **context)
{
    (void)context;
    memset(&sums, 0, sizeof(sums));
    sites = calloc(SITES_KEPT, sizeof(*sites));
    assert_non_null(sites);
    site_count = bounded = 0;
    return 0;
}

static int end(void **context)
{
    (void)context;
    free(sites);
    return 0;
}

static bool has_limit(u32 kind)
{
    return kind == dci_SampleSumKind_SUM_PROCESS || kind == dci_SampleSumKind_SUM_OBJECT ||
           kind == dci_SampleSumKind_SUM_NONE || kind == dci_SampleSumKind_SUM_STALE;
}

static struct naive *naive_find(const struct naive *key)
{
    for (u32 i = 0; i < site_count; i++)
        if (sites[i].coid == key->coid && sites[i].pid == key->pid &&
            sites[i].weight == key->weight && sites[i].kind == key->kind &&
            sites[i].index == key->index && sites[i].cpu == key->cpu)
            return &sites[i];
    return NULL;
}

static void naive_count(struct naive key, u32 kind, u32 pid, coid_t coid,
                        const struct sys_sample *sample)
{
    key.kind = kind;
    key.pid = pid;
    key.coid = coid;
    struct naive *site = naive_find(&key);
    if (site == NULL && has_limit(kind) && bounded == SUMS_SITES_MAX) {
        key.kind = kind == dci_SampleSumKind_SUM_PROCESS ? dci_SampleSumKind_SUM_OTHER_PROCESSES
                                                         : dci_SampleSumKind_SUM_OTHER_OBJECTS;
        key.pid = 0;
        key.coid = 0;
        site = naive_find(&key);
    }
    if (site == NULL) {
        assert_true(site_count < SITES_KEPT);
        site = &sites[site_count++];
        *site = key;
        bounded += has_limit(key.kind);
    }
    assert_true(site->count < SAMPLES_A_SITE);
    site->turns[site->count++] = SYS_SAMPLE_TURN_OF(sample->flags);
    if (kind == dci_SampleSumKind_SUM_ALL && (sample->flags & SYS_SAMPLE_SOFT_MASKED))
        site->soft_masked++;
}

static void naive_add(u32 cpu, u32 index, u32 weight, const struct sys_sample *sample)
{
    struct naive key = {.weight = weight, .index = index, .cpu = cpu};
    u32 space = sample->flags & SYS_SAMPLE_KERNEL ? 0 : sample->pid;

    naive_count(key, dci_SampleSumKind_SUM_ALL, 0, 0, sample);
    if (sample->flags & SYS_SAMPLE_IDLE) {
        naive_count(key, dci_SampleSumKind_SUM_IDLE, 0, 0, sample);
        return;
    }
    if (sample->flags & SYS_SAMPLE_STALE)
        naive_count(key, dci_SampleSumKind_SUM_STALE, space, 0, sample);
    else if (sample->flags & SYS_SAMPLE_ATTRIBUTED)
        naive_count(key, dci_SampleSumKind_SUM_OBJECT, space, sample->coid, sample);
    else
        naive_count(key, dci_SampleSumKind_SUM_NONE, space, 0, sample);
    naive_count(key, dci_SampleSumKind_SUM_PROCESS, sample->pid, 0, sample);
}

// Counts the samples of each turn in a row, and compares.
static void check_turns(const struct summed_site *sum, const struct naive *site)
{
    u64 squares = 0, in_turn = 0;
    u32 first = 0;

    for (u32 i = 0; i < site->count; i++) {
        in_turn++;
        if (i + 1 < site->count && site->turns[i + 1] == site->turns[i])
            continue;
        bool is_first = first == 0, is_last = i + 1 == site->count;
        if (is_first)
            first = (u32)in_turn;
        if (is_last)
            assert_int_equal(sum->latest_samples, in_turn);
        if (!is_first && !is_last)
            squares += in_turn * in_turn;
        in_turn = 0;
    }
    bool one_turn = first == site->count;
    assert_int_equal(sum->first_samples, one_turn ? 0 : first);
    assert_int_equal(sum->turn_squares, squares);
    assert_int_equal(sum->first_turn, site->turns[0]);
    assert_int_equal(sum->latest_turn, site->turns[site->count - 1]);
}

static void check(void)
{
    u64 samples = 0;

    assert_int_equal(sums.count, site_count);
    assert_int_equal(sums.sites, bounded);
    for (u32 i = 0; i < sums.count; i++) {
        const struct summed_site *sum = &sums.sums[i];
        struct naive key = {sum->coid, sum->pid, sum->weight, sum->kind, sum->index,
                            sum->cpu,  0,        0,           {0}};
        const struct naive *site = naive_find(&key);
        assert_non_null(site);
        assert_int_equal(sum->samples, site->count);
        assert_int_equal(sum->soft_masked, site->soft_masked);
        check_turns(sum, site);
        samples += sum->kind == dci_SampleSumKind_SUM_ALL ? sum->samples : 0;
    }
    assert_int_equal(sums.samples, samples);
}

static void add_random(u32 pids, u32 coids, u32 turn)
{
    static const u32 flags[] = {0,
                                SYS_SAMPLE_KERNEL,
                                SYS_SAMPLE_KERNEL | SYS_SAMPLE_IDLE,
                                SYS_SAMPLE_ATTRIBUTED,
                                SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED,
                                SYS_SAMPLE_ATTRIBUTED,
                                SYS_SAMPLE_STALE | SYS_SAMPLE_SOFT_MASKED};
    struct sys_sample sample = {
        .flags = (u16)(flags[draw(ARRAY_SIZE(flags))] | (turn & 0xff) << 8),
        .pid = draw(pids),
        .coid = (u64)draw(coids) << 32 | 16,
    };
    u32 cpu = draw(2) * (ORRERY_MAX_CPUS - 1), index = draw(2) * (SYS_SAMPLING_EVENTS - 1);
    u32 weight = 1000 + draw(2);

    sample_sums_add(&sums, cpu, index, weight, &sample);
    naive_add(cpu, index, weight, &sample);
}

static void sums_are_those_of_all_samples(void **context)
{
    (void)context;
    for (u32 i = 0; i < 12000; i++)
        add_random(3, 5, i / 700 * draw(2));
    assert_true(bounded < SUMS_SITES_MAX);
    check();
}

// No sample is lost: those of further sites are in "others".
static void sites_without_room_become_others(void **context)
{
    (void)context;
    bool near_full = false;
    for (u32 i = 0; i < 6000; i++) {
        u32 before = sums.sites;
        near_full = sample_sums_near_full(&sums, 1);
        add_random(400, 2000, i / 100);
        assert_true(near_full || sums.sites - before <= 2);
    }
    assert_true(near_full);
    assert_int_equal(bounded, SUMS_SITES_MAX);
    u64 others = 0;
    for (u32 i = 0; i < sums.count; i++)
        others +=
            sums.sums[i].kind == dci_SampleSumKind_SUM_OTHER_OBJECTS ? sums.sums[i].samples : 0;
    assert_true(others > 0);
    assert_int_equal(sums.samples, 6000);
    check();
}

// What was pushed is no longer there, whole or in part, and what is left can be added to.
static void the_oldest_can_be_taken_away(void **context)
{
    (void)context;
    for (u32 round = 0; round < 40; round++) {
        for (u32 i = 0; i < 300; i++)
            add_random(3, 5, draw(2));
        check();
        u32 dropped = draw(4) == 0 ? sums.count : draw(sums.count + 1);
        for (u32 i = 0; i < dropped; i++)
            bounded -= has_limit(sites[i].kind);
        site_count -= dropped;
        memmove(sites, sites + dropped, site_count * sizeof(*sites));
        sample_sums_drop(&sums, dropped);
        check();
    }
}

// All sums that there can be have room: every kind of every event on every CPU, twice.
static void no_stream_has_too_many(void **context)
{
    (void)context;
    u32 kinds[] = {SYS_SAMPLE_IDLE, SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED};
    for (u64 i = 0; i < SUMS_SITES_MAX; i++) {
        struct sys_sample sample = {.flags = SYS_SAMPLE_ATTRIBUTED, .coid = 16 * i + 16, .pid = 1};
        sample_sums_add(&sums, 0, 0, 7, &sample);
    }
    for (u32 weight = 1; weight <= 2; weight++)
        for (u32 i = 0; i < ORRERY_MAX_CPUS * SYS_SAMPLING_EVENTS * ARRAY_SIZE(kinds); i++) {
            struct sys_sample sample = {.flags = (u16)kinds[i % 2], .coid = UINT64_MAX, .pid = 9};
            u32 stream = i / 2;
            sample_sums_add(&sums, stream % ORRERY_MAX_CPUS, stream / ORRERY_MAX_CPUS, weight + 6,
                            &sample);
        }
    assert_int_equal(sums.count, SUMS_MAX);
    assert_int_equal(sums.sites, SUMS_SITES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_are_those_of_all_samples, begin, end),
        cmocka_unit_test_setup_teardown(sites_without_room_become_others, begin, end),
        cmocka_unit_test_setup_teardown(the_oldest_can_be_taken_away, begin, end),
        cmocka_unit_test_setup_teardown(no_stream_has_too_many, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
