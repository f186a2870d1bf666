// SPDX-License-Identifier: MIT
// Bringing processes in line. Any number of them may begin and end between two steps.
#include "switching.h"

#include "ask.h"

#include <orrery/errors.h>
#include <orrery/process.h>

static u32 find(const struct switching *switching, u32 pid)
{
    u32 i = 0;

    while (i < switching->count && switching->processes[i].pid != pid)
        i++;
    return i;
}

void switching_forget(struct switching *switching, u32 index)
{
    switching->processes[index] = switching->processes[--switching->count];
}

void switching_begin(struct switching *switching, enum switching_phase phase)
{
    switching->phase = phase;
    switching->place = 0;
    switching->cursor = 0;
}

static void note(struct switching *switching, u32 pid, bool on, s64 result)
{
    u32 i = find(switching, pid);

    if (on && switching->answered(result) && i == switching->count)
        switching->processes[switching->count++] =
            (struct switched_process){.pid = pid, .error = result < 0 ? (s32)result : 0};
    else if (!on && i < switching->count)
        switching_forget(switching, i);
}

// Switches one process; false when its answer is not there yet.
static bool switch_process(struct switching *switching, u32 pid, bool on)
{
    u64 arguments[4] = {0};
    struct answer answer;

    switching->arguments(arguments, on);
    switching->asked_pid = pid;
    switching->asked_on = on;
    s64 result = ask(switching, pid, switching->operation, arguments, &answer);
    if (result == E_AGAIN)
        return false;
    switching->asked_pid = 0;
    note(switching, pid, on, result);
    return true;
}

// The next process that has to be switched; false when all are in line.
static bool find_next(struct switching *switching, u32 *pid, bool *on)
{
    struct sys_process_info info;

    *on = false;
    for (; switching->phase == SWITCHING_OFF && switching->place < switching->count;
         switching->place++) {
        *pid = switching->processes[switching->place].pid;
        if (!switching->stays(*pid))
            return true;
    }
    switching->phase = SWITCHING_ON;
    *on = true;
    while (switching->count < switching->max &&
           sys_process_list(&switching->cursor, &info, sizeof(info)) > 0) {
        *pid = info.pid;
        if (switching->wanted(*pid) && find(switching, *pid) == switching->count)
            return true;
    }
    switching->phase = SWITCHING_IN_LINE;
    return false;
}

bool switching_go(struct switching *switching)
{
    u32 pid = switching->asked_pid;
    bool on = switching->asked_on;

    while (pid != 0 || (switching->phase != SWITCHING_IN_LINE && find_next(switching, &pid, &on))) {
        if (!switch_process(switching, pid, on))
            return false;
        pid = 0;
    }
    return true;
}
