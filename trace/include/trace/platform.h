// SPDX-License-Identifier: MIT
// Functions that the host of the trace core supplies: the kernel (kernel/observe/trace), user
// processes (userlib/trace) or the unit tests.
#ifndef TRACE_PLATFORM_H
#define TRACE_PLATFORM_H

#include <orrery/types.h>
#include <trace/cpu.h>

// ---- CPUs --------------------------------------------------------------------------------------
u32 trace_platform_cpu_count(void);
struct trace_cpu *trace_platform_cpu(u32 cpu);   // of any CPU, reachable from all; any context
struct trace_cpu *trace_platform_this_cpu(void); // any context, interrupts masked
u32 trace_platform_pid(void);                    // the process's, 0 in the kernel; any context
// Holds back every interrupt of this CPU, also the performance monitor's. Returns the state for
// unmask.
u64 trace_platform_mask(void);
void trace_platform_unmask(u64 state);
// Runs function(that CPU's buffers, argument) on a CPU, in interrupt context, and returns after it.
// Thread context, no lock held.
void trace_platform_on_cpu(u32 cpu, void (*function)(struct trace_cpu *, void *), void *argument);

// ---- time --------------------------------------------------------------------------------------
u64 trace_platform_time(void); // time base; any context
u64 trace_platform_time_hz(void);
// Starts or stops calling trace_heartbeat_tick() on this CPU every period ticks, in interrupt
// context. Repeated calls have no further effect. Interrupt context.
void trace_platform_heartbeat(bool on, u64 period);

// ---- memory ------------------------------------------------------------------------------------
// Returns TRACE_SUBBUFFER_SIZE bytes, aligned to this size; NULL if out of memory.
void *trace_platform_subbuffer_alloc(void);
void trace_platform_subbuffer_free(void *subbuffer);
void *trace_platform_alloc(u64 bytes); // NULL when out of memory
void trace_platform_free(void *memory);
u64 trace_platform_physical(const void *address); // for readers of memory dumps

// ---- trace points ------------------------------------------------------------------------------
struct trace_point {
    u32 *instruction;   // a nop while the point is off
    const void *target; // where it branches to while it is on
    u64 major;
};
const struct trace_point *trace_platform_points(u64 *count);
// Patches in batches, of which only one runs at a time. After patch_end every CPU executes the new
// code. Thread context.
void trace_platform_patch_begin(void);
void trace_platform_patch(const struct trace_point *point, bool on);
void trace_platform_patch_end(void);

// ---- identity and output -----------------------------------------------------------------------
struct trace_identity {
    u8 unique[16];   // differs from one run of the system to the next
    u64 date;        // at time base 0: nanoseconds since 1970 (UTC); 0: unknown
    u8 build_id[20]; // of the image that logs
};
void trace_platform_identity(struct trace_identity *identity);
void trace_platform_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
