// SPDX-License-Identifier: MIT
// The monitor's own processes. What they do is mostly the recording itself: each packet of the
// trace makes more events on its way to the client.
#include "tracing_left_out.h"

#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>

#define LEFT_OUT_MAX 4

static dci_LeftOut left_out[LEFT_OUT_MAX];
static u32 count;

static void leave_out(const struct sys_process_info *info)
{
    if (count == LEFT_OUT_MAX || sys_trace_leave_out(info->pid, true) != 0)
        return; // it is recorded then, and not told as left out
    left_out[count].pid = info->pid;
    memcpy(left_out[count++].name, info->name, sizeof(info->name));
}

static u32 parent_of(u32 pid)
{
    struct sys_process_info info;
    u64 cursor = 0;

    while (sys_process_list(&cursor, &info, sizeof(info)) > 0)
        if (info.pid == pid)
            return info.parent;
    return 0;
}

void trace_left_out_begin(void)
{
    struct sys_process_info info;
    u32 self = (u32)sys_process_pid(0), parent = parent_of(self);
    u64 cursor = 0;

    trace_left_out_end();
    // Servers have one parent. A program that is called net as well is none of them.
    while (sys_process_list(&cursor, &info, sizeof(info)) > 0)
        if (info.pid == self || (info.parent == parent && strcmp(info.name, "net") == 0))
            leave_out(&info);
}

void trace_left_out_end(void)
{
    while (count > 0)
        sys_trace_leave_out(left_out[--count].pid, false);
}

bool trace_left_out_has(u32 pid)
{
    for (u32 i = 0; i < count; i++)
        if (left_out[i].pid == pid)
            return true;
    return false;
}

void trace_left_out_add(struct frame *frame)
{
    for (u32 i = 0; i < count; i++)
        frame_record(frame, dci_Response_left_out_tag, dci_LeftOut_fields, &left_out[i]);
}
