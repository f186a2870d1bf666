// SPDX-License-Identifier: MIT
// Per-CPU data. r13 always points at this CPU's struct percpu, at the start of its window
// (orrery/r13.h). Kernel threads never migrate, so an address taken here stays right.
#ifndef KERNEL_PERCPU_H
#define KERNEL_PERCPU_H

#include <orrery/r13.h>

#define PERCPU_WINDOW_BASE 0xC000100000000000 // window of CPU 0

// This doubleword (soft_masked … user_work) is 0 if user mode can be entered without further work.
#define PERCPU_WORK PERCPU_SOFT_MASKED

#ifndef __ASSEMBLER__
#include <orrery/types.h>

struct dispatcher;
struct log_head;
struct spinlock;
struct thread;

#define PENDING_DEC 0x01
#define PENDING_EXT 0x02

struct percpu {
    u32 cpu;    // R13_CPU
    u32 server; // interrupt server number (PIR)
    u8 reserved0[R13_TRACE - 8];
    u8 trace[0x100];
    u8 co[0x100];
    u8 pmu[0x100];
    // R13_HOST
    u8 soft_masked;  // 1: external and decrementer interrupts are left pending
    u8 in_interrupt; // in a maskable interrupt's handler
    union {
        struct {
            u8 pending;      // PENDING_* seen while soft-masked, replayed at unmask
            u8 need_resched; // switch threads at the next unmask
        };
        u16 work; // both: work to do at unmask
    };
    u32 user_work; // look at the current dispatcher before user mode
    u64 pmi_stack; // top, for vector 0xF00
    u64 emergency_stack;
    u64 rseq_base; // .text.rseq … end, for the roll-back test
    u64 rseq_size;
    u64 scratch[8];
    struct thread *current;
    u64 boot_stack;                  // secondary CPUs: the stack in real mode
    u64 mmu_msr;                     // IR and DR once translation is on, for real-mode vectors
    u64 idle_stack;                  // secondary CPUs: its guarded mapping
    struct spinlock *innermost_lock; // that this CPU holds; the others follow by `outer`
    u64 interrupts[8];               // counts by kind (irq.h)
    // Of the dispatcher that is the current thread. Without one nothing enters from user mode.
    u64 kernel_stack;              // where its kernel frames begin
    u64 process;                   // COID of its process
    u64 toc;                       // the kernel's r2, never changes
    u64 syscalls;                  // entries of the plain system calls, as they are or logged
    struct dispatcher *dispatcher; // NULL: a kernel thread runs
    u32 pid;                       // 0: a kernel thread runs
    u32 pending_xirr;              // the accepted external interrupt that is not yet handled
    void *run_queue;               // this CPU's, and what is r13 of user code here: for the fast
    u64 user_window;               // path of calls
    struct log_head *log_head;     // its first log area, or zeroes (observe/log/areas.c)
    void *call_chunks;             // its records of calls (ipc/call_record.h)
    struct spinlock *awaited_lock; // that this CPU spins for
    u64 host_waits;                // lockup_host_waits (lockup.h)
    u64 endpoint_cpu;              // from the first CPU's part of an endpoint to its own
};

register struct percpu *percpu_r13 __asm__("r13");

// Returns this CPU's block. Any context.
static inline struct percpu *percpu(void)
{
    return percpu_r13;
}

// Returns the CPU number, 0 … cpu_count-1. Any context.
static inline u32 cpu_id(void)
{
    return percpu_r13->cpu;
}

// Returns CPU n's block, reached from any CPU through its window. n < cpu_count.
static inline struct percpu *percpu_of(u32 cpu)
{
    return (struct percpu *)(PERCPU_WINDOW_BASE + (u64)cpu * R13_WINDOW_SIZE);
}

extern u32 cpu_count; // CPUs that are up; fixed after boot

#endif
#endif
