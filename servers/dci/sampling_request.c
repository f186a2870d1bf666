// SPDX-License-Identifier: MIT
// Checks a client's request to sample, and translates it for the system call.
#include "sampling_request.h"

#include "counting.h"
#include "service.h"

#include <orrery/pmu.h>

#define RANDOMISE_MAX 16

s64 sampling_period_check(struct client *client, u32 index, u64 period, u32 randomise, bool precise)
{
    unsigned minimum = precise ? SYS_PRECISE_PERIOD_MIN : SYS_PERIOD_MIN;

    if (period < minimum || period > SYS_PERIOD_MAX)
        return client_error(client, E_INVAL, "event %u: period must be %u…%d", (unsigned)index,
                            minimum, SYS_PERIOD_MAX);
    if (randomise > RANDOMISE_MAX || (1UL << randomise) >= period)
        return client_error(client, E_INVAL,
                            "event %u: randomise must be 0…%d, and 2^randomise below the period",
                            (unsigned)index, RANDOMISE_MAX);
    return 0;
}

static bool is_repeated(const dci_SamplingStartRequest *start, u32 index)
{
    for (u32 i = 0; i < index; i++)
        if (start->events[i].event == start->events[index].event &&
            start->events[i].mode == start->events[index].mode)
            return true;
    return false;
}

static s64 check_event(struct client *client, const dci_SamplingStartRequest *start, u32 index)
{
    const dci_SampledEvent *event = &start->events[index];
    bool cycles = event->event == dci_PmuEvent_PMU_EVENT_CYCLES;

    if (!cycles && event->event < dci_PmuEvent_PMU_EVENT_MODEL)
        return client_error(client, E_INVAL, "event %u is not known", (unsigned)event->event);
    if (event->mode > _dci_CountMode_MAX)
        return client_error(client, E_INVAL, "event %u: mode %u is not known", (unsigned)index,
                            (unsigned)event->mode);
    if (cycles && (event->mode != dci_CountMode_COUNT_MODE_ALL || start->precise))
        return client_error(client, E_NOTSUP, "run cycles are sampled in all modes, by interrupts");
    if (is_repeated(start, index))
        return client_error(client, E_INVAL, "event %u is named twice", (unsigned)index);
    return sampling_period_check(client, index, event->period, event->randomise, start->precise);
}

s64 sampling_request_check(struct client *client, const dci_SamplingStartRequest *start)
{
    s64 error = 0;

    if (start->events_count == 0)
        return client_error(client, E_INVAL, "there is no event to sample");
    for (u32 i = 0; i < start->events_count && error == 0; i++)
        error = check_event(client, start, i);
    if (error != 0)
        return error;
    if (start->stacks && !start->sums)
        return client_error(client, E_INVAL, "stacks come with sums only");
    if (start->callers > SYS_CALLERS_MAX)
        return client_error(client, E_INVAL, "callers must be 0…%d", SYS_CALLERS_MAX);
    if (start->cpu_mask >> server_system.cpu_count != 0)
        return client_error(client, E_INVAL, "cpu_mask names CPUs beyond the %u there are",
                            (unsigned)server_system.cpu_count);
    return 0;
}

static bool is_among(u32 pid, const u32 *pids, u32 count)
{
    for (u32 i = 0; i < count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

bool sampling_wants(const dci_SamplingStartRequest *start, u32 pid)
{
    return (start->pids_count == 0 || is_among(pid, start->pids, start->pids_count)) &&
           !is_among(pid, start->except_pids, start->except_pids_count);
}

void sampling_request_fill(struct sys_sampling *sampling, const dci_SamplingStartRequest *start)
{
    *sampling = (struct sys_sampling){
        .callers = start->callers,
        .cpu_mask = start->cpu_mask,
        .event_count = start->events_count,
        .flags = (start->precise ? SYS_SAMPLING_PRECISE : 0) |
                 (start->yielding ? SYS_SAMPLING_TURNS : 0),
    };
    for (u32 i = 0; i < start->events_count; i++)
        sampling->events[i] = (struct sys_sampled_event){
            .event = start->events[i].event,
            .filter = count_mode_filter(start->events[i].mode),
            .period = start->events[i].period,
            .randomise = start->events[i].randomise,
        };
}

const char *sampling_refusal(s64 error, const char *message)
{
    if (message[0] != '\0')
        return message;
    switch (error) {
    case E_BUSY:
        return "another program of the machine samples, or uses the counters";
    case E_NOTSUP:
        return "no unit of this machine can sample that";
    case E_LIMIT:
        return "an event cannot take turns with the others";
    default:
        return orrery_strerror(error);
    }
}
