// SPDX-License-Identifier: MIT
// Steps of the kernel's start, called by boot/src/main.c in its order.
#ifndef KERNEL_STARTUP_H
#define KERNEL_STARTUP_H

#include <orrery/types.h>

// Makes tables of slabs and large objects; pages can be allocated.
void kmalloc_init(u64 memory_bytes);
// Makes services clustered objects; co_init has been called.
void page_allocator_init(void);
void small_allocator_init(void);
void memory_fail_at_boot(void); // begins with what fail= asks for; thread context
// Sets facts for the calls about the system: memory in bytes; entry_timebase: when firmware entered
// the kernel.
void system_init(u64 memory, u64 entry_timebase);
// Sets up system calls, memory objects and the ProcessAnnex; interrupts work.
void processes_init(void);
// Makes the BlockDevice, if the machine has a disk. It calls the firmware, so it must run before
// anything else may. Thread context.
void block_init(void);
// Starts a program of the initial file system as process 1, with all rights. When it ends the
// machine powers off. Returns 0. E_NOENT: no initial file system or no such program. E_INVAL: not a
// program. E_NOMEM. Thread context.
s64 first_process_start(const char *path);
// On each CPU, before any other use of memory there.
void page_allocator_init_cpu(void);
void timers_init(void);
void scheduler_init(void);
void interrupts_init(void);
// Opens this CPU for external interrupts.
void interrupts_init_cpu(void);

#ifndef WITHOUT_trace
// Sets up tracing and the boot CPU's buffers, of boot_options.trace_subbuffers sub-buffers. Boot
// CPU, once, when pages can be allocated and text can be patched. E_NOMEM.
int trace_init(void);
// Makes buffers of another CPU. On any CPU, before that one runs code with trace points. E_NOMEM:
// that CPU counts all its events as discarded.
int trace_init_cpu(u32 cpu);
// Makes the TraceManager object, and enables the boot options' events. Thread context, all CPUs up.
// E_NOMEM, E_LIMIT.
int trace_start_services(void);
#else // a kernel that has none
static inline int trace_init(void)
{
    return 0;
}
static inline int trace_init_cpu(u32 cpu)
{
    (void)cpu;
    return 0;
}
static inline int trace_start_services(void)
{
    return 0;
}
#endif

#endif
