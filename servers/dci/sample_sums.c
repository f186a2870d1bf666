// SPDX-License-Identifier: MIT
// Sums of samples by site: a hash table over one array. It needs no floating point: a sum has one
// weight, so who reads it can square and multiply.
#include "sample_sums.h"

#include <dci/dci.pb.h>
#include <string.h>

_Static_assert(SUMS_MAX < UINT16_MAX, "slots have 16 bits");
_Static_assert(SUMS_SLOTS / 4 * 3 >= SUMS_MAX, "at most three of four slots are taken");

static bool is_site(u8 kind)
{
    return kind == dci_SampleSumKind_SUM_PROCESS || kind == dci_SampleSumKind_SUM_OBJECT ||
           kind == dci_SampleSumKind_SUM_NONE || kind == dci_SampleSumKind_SUM_STALE ||
           kind == dci_SampleSumKind_SUM_STACK;
}

static bool is_same(const struct summed_site *left, const struct summed_site *right)
{
    return left->coid == right->coid && left->pid == right->pid && left->kind == right->kind &&
           left->index == right->index && left->cpu == right->cpu && left->weight == right->weight;
}

// Returns the slot of a sum with this key, or the free one for it.
static u16 *slot_of(struct sample_sums *sums, const struct summed_site *key)
{
    u64 rest = (u64)key->pid << 32 | (u64)key->kind << 16 | (u64)key->index << 8 | key->cpu;
    u64 mixed = (key->coid ^ rest * 0x9e3779b97f4a7c15u ^ key->weight) * 0xff51afd7ed558ccdu;
    u32 slot = (u32)(mixed >> 40) % SUMS_SLOTS;

    while (sums->slots[slot] != 0 && !is_same(&sums->sums[sums->slots[slot] - 1], key))
        slot = (slot + 1) % SUMS_SLOTS;
    return &sums->slots[slot];
}

static u8 others_of(u8 kind)
{
    if (kind == dci_SampleSumKind_SUM_STACK)
        return dci_SampleSumKind_SUM_OTHER_STACKS;
    return kind == dci_SampleSumKind_SUM_PROCESS ? dci_SampleSumKind_SUM_OTHER_PROCESSES
                                                 : dci_SampleSumKind_SUM_OTHER_OBJECTS;
}

// Returns the sum with this key. Returns that of others if there is no room for one more site.
static struct summed_site *sum_of(struct sample_sums *sums, struct summed_site key)
{
    u16 *slot = slot_of(sums, &key);

    if (*slot == 0 && is_site(key.kind) && sums->sites == SUMS_SITES_MAX) {
        key.kind = others_of(key.kind);
        key.pid = 0;
        key.coid = 0;
        slot = slot_of(sums, &key);
    }
    if (*slot == 0) {
        sums->sites += is_site(key.kind);
        sums->sums[sums->count] = key;
        *slot = (u16)++sums->count;
    }
    return &sums->sums[*slot - 1];
}

static void add_to_turn(struct summed_site *sum, u8 turn)
{
    if (sum->samples != 0 && turn != sum->latest_turn) {
        if (sum->first_samples == 0)
            sum->first_samples = sum->latest_samples;
        else
            sum->turn_squares += (u64)sum->latest_samples * sum->latest_samples;
        sum->latest_samples = 0;
    }
    if (sum->samples == 0)
        sum->first_turn = turn;
    sum->latest_turn = turn;
    sum->latest_samples++;
}

// Returns the sum of all or of all idle samples with this key. Each sample is in one of them, so
// they are found without the table.
static struct summed_site *whole_of(struct sample_sums *sums, struct summed_site key)
{
    u16 *latest = &sums->latest[key.cpu][key.index][key.kind == dci_SampleSumKind_SUM_IDLE];
    struct summed_site *sum = *latest == 0 ? NULL : &sums->sums[*latest - 1];

    if (sum == NULL || sum->weight != key.weight) {
        sum = sum_of(sums, key);
        *latest = (u16)(sum - sums->sums + 1);
    }
    return sum;
}

static void count(struct summed_site *sum, u8 turn)
{
    add_to_turn(sum, turn);
    sum->samples++;
}

u8 sample_sums_kind(const struct sys_sample *sample)
{
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        return dci_SampleSumKind_SUM_IDLE;
    if ((sample->flags & SYS_SAMPLE_STALE) != 0)
        return dci_SampleSumKind_SUM_STALE;
    return (sample->flags & SYS_SAMPLE_ATTRIBUTED) != 0 ? dci_SampleSumKind_SUM_OBJECT
                                                        : dci_SampleSumKind_SUM_NONE;
}

void sample_sums_add(struct sample_sums *sums, u32 cpu, u32 index, u32 weight,
                     const struct sys_sample *sample)
{
    struct summed_site key = {.weight = weight, .index = (u8)index, .cpu = (u8)cpu};
    u8 turn = SYS_SAMPLE_TURN_OF(sample->flags);

    key.kind = dci_SampleSumKind_SUM_ALL;
    struct summed_site *all = whole_of(sums, key);
    count(all, turn);
    all->soft_masked += (sample->flags & SYS_SAMPLE_SOFT_MASKED) != 0;
    sums->samples++;
    key.kind = sample_sums_kind(sample);
    if (key.kind == dci_SampleSumKind_SUM_IDLE) {
        count(whole_of(sums, key), turn);
        return;
    }
    key.pid = (sample->flags & SYS_SAMPLE_KERNEL) != 0 ? 0 : sample->pid;
    key.coid = key.kind == dci_SampleSumKind_SUM_OBJECT ? sample->coid : 0;
    count(sum_of(sums, key), turn);
    key.kind = dci_SampleSumKind_SUM_PROCESS;
    key.pid = sample->pid;
    key.coid = 0;
    count(sum_of(sums, key), turn);
}

void sample_sums_add_stack(struct sample_sums *sums, u32 cpu, u32 index, u32 weight, u32 stack,
                           const struct sys_sample *sample)
{
    struct summed_site key = {.coid = stack,
                              .weight = weight,
                              .kind = stack != 0 ? dci_SampleSumKind_SUM_STACK
                                                 : dci_SampleSumKind_SUM_OTHER_STACKS,
                              .index = (u8)index,
                              .cpu = (u8)cpu};

    count(sum_of(sums, key), SYS_SAMPLE_TURN_OF(sample->flags));
}

bool sample_sums_near_full(const struct sample_sums *sums, u32 samples)
{
    return sums->sites + 2 * samples > SUMS_SITES_MAX;
}

void sample_sums_drop(struct sample_sums *sums, u32 count)
{
    sums->count -= count;
    sums->sites = 0;
    sums->samples = 0;
    memmove(sums->sums, sums->sums + count, sums->count * sizeof(sums->sums[0]));
    memset(sums->slots, 0, sizeof(sums->slots));
    memset(sums->latest, 0, sizeof(sums->latest));
    for (u32 i = 0; i < sums->count; i++) {
        const struct summed_site *sum = &sums->sums[i];
        *slot_of(sums, sum) = (u16)(i + 1);
        sums->sites += is_site(sum->kind);
        sums->samples += sum->kind == dci_SampleSumKind_SUM_ALL ? sum->samples : 0;
    }
}
