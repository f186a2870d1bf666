// SPDX-License-Identifier: MIT
// Reads samples through sys_sampling_read and sorts them by where they fell.
#include "sampling.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/symbols.h>
#include <orrery/errors.h>
#include <string.h>
#include <workloads/work_object.h>

#define BUFFER_BYTES 16384

s64 sample_cycles(u64 period, u32 randomise, u32 callers, u32 cpu_mask)
{
    const struct sys_sampling sampling = {.callers = callers,
                                          .cpu_mask = cpu_mask,
                                          .event_count = 1,
                                          .events = {{.event = SYS_PMU_CYCLES,
                                                      .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                                      .period = period,
                                                      .randomise = randomise}}};

    return sys_sampling_start(&sampling, NULL, 0);
}

// Is pc in a method of a demo object that loops, or in the loop that spin_masked and spin_nested
// call?
static bool is_in_loop(u64 pc)
{
    static const char *const loops[] = {
        "work_object_spin", "work_object_spin_inner", "work_object_reserve",
        "work_object_look", "work_object_hint_wrong", "work_object_hint_right",
        "work_object_add",  "work_object_read_walk",  "work_object_write_walk",
    };
    const char *name = symbol_find(pc, NULL);
    for (u32 i = 0; name != NULL && i < ARRAY_SIZE(loops); i++)
        if (strcmp(name, loops[i]) == 0)
            return true;
    return false;
}

// Which samples of a session.
struct place {
    s64 session;
    u32 cpu, index, event;
};

static void count(const struct sys_sample *sample, const struct place *place, const coid_t own[2],
                  struct sample_counts *counts)
{
    bool attributed = (sample->flags & SYS_SAMPLE_ATTRIBUTED) != 0;
    counts->read++;
    counts->backwards += sample->time < counts->last_time;
    counts->malformed += sample->cpu != place->cpu || sample->event != place->event;
    counts->last_time = sample->time;
    if (!is_in_loop(sample->pc))
        return;
    counts->in_loop++;
    counts->own[0] += attributed && sample->coid == own[0];
    counts->own[1] += attributed && sample->coid == own[1];
    counts->other += !attributed || (sample->coid != own[0] && sample->coid != own[1]);
    counts->soft_masked += (sample->flags & SYS_SAMPLE_SOFT_MASKED) != 0;
}

static void read_all(const struct place *place, const coid_t own[2], struct sample_counts *counts)
{
    char *buffer = kmalloc(BUFFER_BYTES);
    s64 bytes = E_NOMEM;
    while (buffer != NULL && (bytes = sys_sampling_read(place->session, place->cpu, place->index,
                                                        buffer, BUFFER_BYTES)) > 0)
        for (u64 at = 0; at < (u64)bytes;) {
            const struct sys_sample *sample = (const struct sys_sample *)(buffer + at);
            count(sample, place, own, counts);
            at += sys_sample_bytes(sample);
        }
    counts->malformed += bytes < 0;
    kfree(buffer);
}

static void read_stat(const struct place *place, struct sample_counts *counts)
{
    struct sys_sampling_stat stat = {0};
    counts->malformed += sys_sampling_stat(place->session, place->cpu, place->index, &stat) != 0;
    counts->taken = stat.taken;
    counts->overflows = stat.taken + stat.lost - counts->overflows_before;
    counts->lost = stat.lost - counts->lost_before;
}

void sample_counts_of(s64 session, u32 cpu, u32 index, u32 event, const coid_t own[2],
                      struct sample_counts *counts)
{
    const struct place place = {session, cpu, index, event};
    *counts = (struct sample_counts){0};
    read_stat(&place, counts);
    read_all(&place, own, counts);
}

u64 samples_missing(s64 session, u32 index)
{
    u64 sum = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_sampling_stat stat = {0};
        sys_sampling_stat(session, cpu, index, &stat);
        sum += stat.lost + stat.missed;
    }
    return sum;
}

void sample_counts_begin(s64 session, u32 cpu, struct sample_counts *counts)
{
    const struct place place = {session, cpu, 0, SYS_PMU_CYCLES};
    read_all(&place, (const coid_t[]){0, 0}, counts);
    counts->overflows_before = counts->lost_before = 0;
    read_stat(&place, counts);
    counts->overflows_before = counts->overflows;
    counts->lost_before = counts->lost;
    counts->in_loop = counts->own[0] = counts->own[1] = counts->other = counts->soft_masked = 0;
}

void sample_counts_add(s64 session, u32 cpu, const coid_t own[2], struct sample_counts *counts)
{
    const struct place place = {session, cpu, 0, SYS_PMU_CYCLES};
    read_stat(&place, counts);
    read_all(&place, own, counts);
}
