// SPDX-License-Identifier: MIT
// Sampling by the model unit: the columns of table 4.2, at the thresholds of S000 §4.3.1. Nobody
// reads the samples: to bring them somewhere costs extra, and is measured by itself (table 4.5).
#include "costs.h"

#include <orrery/errors.h>
#include <orrery/pmu.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <stdio.h>

#define RANDOM_BITS 10 // of each period

struct threshold {
    u32 event; // enum model_event
    u64 period;
};

static const struct threshold thresholds[] = {
    {MODEL_INSTRUCTIONS, 10000000}, {MODEL_CYCLES, 100000000},  {MODEL_LARX, 100000},
    {MODEL_STCX, 100000},           {MODEL_BRANCHES, 10000000}, {MODEL_MISPREDICTED, 10000000},
    {MODEL_ITLB_MISS, 100000},      {MODEL_DTLB_MISS, 100000},
};
#define THRESHOLDS ARRAY_SIZE(thresholds)

static s64 session;
static u32 sampled; // events

static s64 start(const struct threshold *chosen[], u32 count, char *message, u64 bytes)
{
    struct sys_sampling sampling = {.event_count = count};
    for (u32 i = 0; i < count; i++)
        sampling.events[i] = (struct sys_sampled_event){.event = SYS_PMU_MODEL + chosen[i]->event,
                                                        .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                                        .period = chosen[i]->period,
                                                        .randomise = RANDOM_BITS};
    return sys_sampling_start(&sampling, message, bytes);
}

static s64 read_stat(u32 cpu, u32 index, struct sys_sampling_stat *stat)
{
    return sys_sampling_stat(session, cpu, index, stat);
}

static void begin(u32 events)
{
    const struct threshold *chosen[THRESHOLDS];
    char message[256] = "";
    u32 count = 0;
    for (u32 i = 0; i < THRESHOLDS; i++) {
        if (events >> thresholds[i].event & 1)
            chosen[count++] = &thresholds[i];
    }
    session = start(chosen, count, message, sizeof(message));
    if (session < 0)
        fail("cannot sample: %s: %s", orrery_strerror(session), message);
    sampled = count;
}

static u64 samples_of(u32 index)
{
    struct sys_sampling_stat stat;
    u64 samples = 0;
    for (u32 cpu = 0; read_stat(cpu, index, &stat) == 0; cpu++)
        samples += stat.taken + stat.lost;
    return samples;
}

static u64 samples(void)
{
    u64 sum = 0;
    for (u32 index = 0; index < sampled; index++)
        sum += samples_of(index);
    return sum;
}

static void end(void)
{
    sys_sampling_stop(session);
    for (u32 index = 0; index < sampled; index++)
        printf("COUNT samples.%u %lu\n", index, samples_of(index));
}

#define EVENT(event) (1u << (event))
#define ACQUISITION (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_STCX))
#define CONTENTION (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_LARX) | EVENT(MODEL_STCX))
#define MISPREDICTION (EVENT(MODEL_BRANCHES) | EVENT(MODEL_MISPREDICTED))
#define TLB (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_ITLB_MISS) | EVENT(MODEL_DTLB_MISS))
#define IPC (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_CYCLES))

static void acquisition(void)
{
    begin(ACQUISITION);
}

static void contention(void)
{
    begin(CONTENTION);
}

static void misprediction(void)
{
    begin(MISPREDICTION);
}

static void tlb(void)
{
    begin(TLB);
}

static void ipc(void)
{
    begin(IPC);
}

static void all(void)
{
    begin(ACQUISITION | CONTENTION | MISPREDICTION | TLB | IPC);
}

const struct measuring measuring_samples[] = {
    {"acquisition", acquisition, end, samples, false},
    {"contention", contention, end, samples, false},
    {"misprediction", misprediction, end, samples, false},
    {"tlb", tlb, end, samples, false},
    {"ipc", ipc, end, samples, false},
    {"metrics", all, end, samples, false},
    {},
};
