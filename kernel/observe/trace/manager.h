// SPDX-License-Identifier: MIT
// The TraceManager: a clustered object, with one representative for each CPU's buffers.
#ifndef KERNEL_TRACE_MANAGER_H
#define KERNEL_TRACE_MANAGER_H

#include <co/object.h>
#include <orrery/sys.h>
#include <trace/cpu.h>

struct trace_manager;

struct trace_manager_ops {
    struct co_ops base;
    // Same contracts as the sys_trace_* calls of orrery/sys.h.
    s64 (*set_mask)(struct trace_manager *self, u64 mask);
    s64 (*set_mode)(struct trace_manager *self, enum sys_trace_mode mode);
    s64 (*state)(struct trace_manager *self);
    s64 (*waits)(struct trace_manager *self);
    s64 (*stat)(struct trace_manager *self, u32 cpu, struct sys_trace_stat *stat);
    s64 (*read)(struct trace_manager *self, u32 cpu, bool flush, void *buffer, u64 bytes);
    s64 (*describe)(struct trace_manager *self, const struct sys_trace_description *list,
                    u64 bytes);
    s64 (*set_process_mask)(struct trace_manager *self, u64 mask);
    s64 (*process_list)(struct trace_manager *self, u64 *cursor, void *buffer, u64 bytes);
    s64 (*process_read)(struct trace_manager *self, u32 pid, u32 cpu, bool flush, void *buffer,
                        u64 bytes);
    // Runs function(this CPU's buffers, argument).
    s64 (*local)(struct trace_manager *self, void (*function)(struct trace_cpu *, void *),
                 void *argument);
};

struct trace_manager {
    CO_REP(struct trace_manager_ops);
    struct trace_cpu *cpu;
};

extern coid_t trace_manager; // set by trace_manager_create

// Methods that stand beside what they work on: state.c, waits.c, describe.c, processes.c (the other
// three).
s64 trace_state(struct trace_manager *self);
s64 trace_waits(struct trace_manager *self);
s64 trace_describe(struct trace_manager *self, const struct sys_trace_description *list, u64 bytes);
s64 trace_set_process_mask(struct trace_manager *self, u64 mask);
s64 trace_process_list(struct trace_manager *self, u64 *cursor, void *buffer, u64 bytes);
s64 trace_process_read(struct trace_manager *self, u32 pid, u32 cpu, bool flush, void *buffer,
                       u64 bytes);

// Creates it. Thread context, once. Returns 0, E_NOMEM or E_LIMIT.
int trace_manager_create(void);

#endif
