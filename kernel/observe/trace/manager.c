// SPDX-License-Identifier: MIT
// The TraceManager object. Work on another CPU's buffers is sent to that CPU, whose own
// representative does it.
#include "manager.h"

#include "left_out.h"

#include <co/manager.h>
#include <trace/control.h>
#include <trace/platform.h>
#include <trace/trace.h>

CO_CHECK_INTERFACE(struct trace_manager_ops);

coid_t trace_manager;

static struct co_root root;
static struct trace_manager reps[ORRERY_MAX_CPUS];

static CO_METHOD s64 set_mask(struct trace_manager *self, u64 mask)
{
    CO_HOME(self);
    s64 error = trace_set_mask(mask);
    trace_left_out_follow();
    return error;
}

static CO_METHOD s64 set_mode(struct trace_manager *self, enum sys_trace_mode mode)
{
    CO_HOME(self);
    return trace_set_mode(mode);
}

static CO_METHOD s64 stat(struct trace_manager *self, u32 cpu, struct sys_trace_stat *stat)
{
    CO_HOME(self);
    return trace_stat(cpu, stat);
}

static CO_METHOD s64 read(struct trace_manager *self, u32 cpu, bool flush, void *buffer, u64 bytes)
{
    CO_HOME(self);
    return trace_read(cpu, flush, buffer, bytes);
}

static CO_METHOD s64 local(struct trace_manager *self, void (*function)(struct trace_cpu *, void *),
                           void *argument)
{
    CO_HOME(self);
    function(self->cpu, argument);
    return 0;
}

static const struct trace_manager_ops ops = {
    .base = CO_LEAF,
    .set_mask = set_mask,
    .set_mode = set_mode,
    .state = trace_state,
    .waits = trace_waits,
    .stat = stat,
    .read = read,
    .describe = trace_describe,
    .set_process_mask = trace_set_process_mask,
    .process_list = trace_process_list,
    .process_read = trace_process_read,
    .local = local,
};
static struct co_class class = {
    .name = "TraceManager",
    .implementation = "PerCpuRings",
    .size = sizeof(root) + sizeof(reps[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = reps,
    .static_rep_size = sizeof(reps[0]),
};

int trace_manager_create(void)
{
    for (u32 cpu = 0; cpu < trace_platform_cpu_count(); cpu++)
        reps[cpu].cpu = trace_platform_cpu(cpu);
    s64 coid = co_create(&class, &root);
    if (coid < 0)
        return (int)coid;
    trace_manager = (coid_t)coid;
    return (int)co_add_service(trace_manager);
}
