// SPDX-License-Identifier: MIT
// Processes that the trace leaves out, so that a recorder does not record itself. A CPU that runs
// for one has its events take the slow path, which drops them (trace/src/append.c). So a process
// that is not left out pays nothing. Switches tell when: the scheduler's, and those of the fast
// path of calls, beside its event of the switch, or, without such events, in call.c.
#include "left_out.h"

#include <kernel/process.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <trace/events.h>
#include <trace/trace.h>

#include "proc/switch_points.h"
#include "reader.h"

#define LEFT_OUT_MAX 16

static struct mutex mutex = MUTEX_INIT("left out of the trace", MUTEX_SERVICE); // of the next ones
static u32 pids[LEFT_OUT_MAX], count;
static bool patched[CALLS_UNTRACED + 1]; // by user

static void patch(u32 user, bool on)
{
    if (patched[user] != on)
        switch_points_set(user, on);
    patched[user] = on;
}

static void follow(void)
{
    patch(TRACE_LEAVES_OUT, count > 0);
    patch(CALLS_UNTRACED, count > 0 && !trace_enabled(TRACE_MAJOR_SCHED));
}

void trace_left_out_follow(void)
{
    mutex_lock(&mutex);
    follow();
    mutex_unlock(&mutex);
}

static u32 place_of(u32 pid)
{
    u32 place = 0;

    while (place < count && pids[place] != pid)
        place++;
    return place;
}

static s64 add(u32 pid)
{
    if (count == LEFT_OUT_MAX)
        return E_LIMIT;
    pids[count++] = pid;
    follow();
    s64 error = process_set_untraced(pid, true);
    if (error != 0)
        count--;
    else
        trace_state_left_out(pid, 1);
    return error;
}

static void take_away(u32 place)
{
    process_set_untraced(pids[place], false); // an error: it has ended
    trace_state_left_out(pids[place], 0);
    pids[place] = pids[--count];
}

s64 trace_left_out_set(u32 pid, bool left_out)
{
    if (pid == 0)
        return E_INVAL;
    if (!trace_reader_is_caller())
        return E_PERM;
    mutex_lock(&mutex);
    u32 place = place_of(pid);
    s64 error = 0;
    if (left_out && place == count)
        error = add(pid);
    else if (!left_out && place < count)
        take_away(place);
    follow();
    mutex_unlock(&mutex);
    return error;
}

void trace_left_out_clear(void)
{
    mutex_lock(&mutex);
    while (count > 0)
        take_away(count - 1);
    follow();
    mutex_unlock(&mutex);
}

void trace_left_out_tell(void)
{
    mutex_lock(&mutex);
    for (u32 i = 0; i < count; i++)
        trace_state_left_out(pids[i], 1);
    mutex_unlock(&mutex);
}
