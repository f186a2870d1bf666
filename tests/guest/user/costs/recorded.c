// SPDX-License-Identifier: MIT
// Samples that somebody else takes: the DCI server, for `kov record`.
// So what it costs to send them is in it.
#include "costs.h"

#include <orrery/errors.h>
#include <orrery/pmu.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <user/thread.h>

#define LOOK_US 100000
#define LOOKS 600

static s64 try_to_sample(void)
{
    char message[256] = "";
    struct sys_sampling sampling = {.event_count = 1};
    sampling.events[0] = (struct sys_sampled_event){.event = SYS_PMU_MODEL + MODEL_CYCLES,
                                                    .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                                    .period = SYS_PERIOD_MAX};
    return sys_sampling_start(&sampling, message, sizeof(message));
}

// Only one can sample at a time: until it is somebody else.
static void begin(void)
{
    s64 session = 0;
    for (u32 i = 0; i < LOOKS && session != E_BUSY; i++) {
        session = try_to_sample();
        if (session >= 0)
            sys_sampling_stop(session);
        else if (session != E_BUSY)
            fail("cannot sample: %s", orrery_strerror(session));
        thread_sleep_us(LOOK_US);
    }
    if (session != E_BUSY)
        fail("cannot sample: nobody has begun");
}

static void end(void)
{
}

static u64 no_events(void)
{
    return 0;
}

const struct measuring measuring_recorded = {"recorded", begin, end, no_events, true};
