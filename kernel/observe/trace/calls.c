// SPDX-License-Identifier: MIT
// The sys_trace_* calls. Most are methods of the TraceManager, which check the arguments.
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>
#include <trace/described.h>
#include <trace/metadata.h>
#include <trace/table.h>
#include <trace/trace.h>

#include "left_out.h"
#include "manager.h"
#include "processes.h"
#include "reader.h"

#define CALL(...) CO_CALL(struct trace_manager, trace_manager, __VA_ARGS__)

u64 sys_trace_mask(void)
{
    return trace_mask();
}

s64 sys_trace_set_mask(u64 mask)
{
    return CALL(set_mask, mask);
}

s64 sys_trace_set_mode(enum sys_trace_mode mode)
{
    s64 error = trace_reader_check();
    return error != 0 ? error : CALL(set_mode, mode);
}

s64 sys_trace_stat(u32 cpu, struct sys_trace_stat *stat)
{
    return CALL(stat, cpu, stat);
}

s64 sys_trace_read(u32 cpu, bool flush, void *buffer, u64 bytes)
{
    s64 error = trace_reader_check();
    return error != 0 ? error : CALL(read, cpu, flush, buffer, bytes);
}

s64 sys_trace_take(bool on)
{
    return trace_reader_take(on);
}

s64 sys_trace_leave_out(u32 pid, bool left_out)
{
    return trace_left_out_set(pid, left_out);
}

s64 sys_trace_set_process_mask(u64 mask)
{
    return CALL(set_process_mask, mask);
}

s64 sys_trace_state(void)
{
    return CALL(state);
}

s64 sys_trace_waits(void)
{
    return CALL(waits);
}

s64 sys_trace_process_mask(void)
{
    return (s64)trace_process_mask();
}

s64 sys_trace_process_list(u64 *cursor, void *buffer, u64 bytes)
{
    return CALL(process_list, cursor, buffer, bytes);
}

s64 sys_trace_read_process(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes)
{
    s64 error = trace_reader_check();
    return error != 0 ? error : CALL(process_read, pid, cpu, flush, buffer, bytes);
}

s64 sys_trace_metadata(u64 offset, char *buffer, u64 bytes)
{
    return trace_metadata_read(offset, buffer, bytes);
}

static const char *trace_major_name(u32 number)
{
    for (u32 i = 0; i < trace_major_count; i++) {
        if (trace_majors[i].number == number)
            return trace_majors[i].name;
    }
    return "";
}

s64 sys_trace_describe(const struct sys_trace_description *list, u64 bytes)
{
    return CALL(describe, list, bytes);
}

// Fills in an event. The generator, or the check of the description, has checked the lengths.
// Returns 0.
static s64 tell(const struct trace_event_info *info, const char *group,
                struct sys_trace_event *event)
{
    *event = (struct sys_trace_event){
        .major = info->major,
        .minor = info->minor,
        .field_count = info->field_count,
    };
    strncpy(event->name, info->name, sizeof(event->name) - 1);
    strncpy(event->group, group, sizeof(event->group) - 1);
    strncpy(event->format, info->format, sizeof(event->format) - 1);
    return 0;
}

s64 sys_trace_event_get(u32 index, struct sys_trace_event *event)
{
    if (index < trace_event_count)
        return tell(&trace_events[index], trace_major_name(trace_events[index].major), event);
    const struct trace_described_event *described = trace_described_get(index - trace_event_count);
    return described == NULL ? E_NOENT
                             : tell(&described->info, described->description.provider, event);
}
