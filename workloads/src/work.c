// SPDX-License-Identifier: MIT
// Measures how long known work takes; pseudo-random numbers.
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <workloads/work.h>

u64 work_ticks_to_ns(u64 ticks)
{
    return ticks * 1000 / (timebase_hz / 1000000);
}

static u64 time_of_loop(u64 iterations)
{
    u64 msr = hard_mask();
    u64 begin = timebase();
    work_spin(iterations);
    u64 end = timebase();
    hard_mask_restore(msr);
    return work_ticks_to_ns(end - begin);
}

// Uses two lengths: their difference does not contain the cost of reading the clock.
bool work_time_is_exact(void)
{
    const u64 iterations = 50000;
    for (int round = 0; round < 2; round++) {
        s64 difference = (s64)(time_of_loop(2 * iterations) - time_of_loop(iterations));
        s64 error = difference - (s64)(2 * iterations);
        if (error < -4 || error > 4) // two ticks of the time base
            return false;
    }
    return true;
}

u64 work_spin_iterations(u64 ns)
{
    const u64 trial = 1000000;
    u64 iterations = ns / 2;
    if (!work_time_is_exact()) {
        u64 begin = timebase();
        work_spin(trial);
        iterations = trial * ns / (work_ticks_to_ns(timebase() - begin) + 1);
    }
    return iterations == 0 ? 1 : iterations;
}

u64 work_random(u64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
