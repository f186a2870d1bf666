// SPDX-License-Identifier: MIT
// The model unit (orrery/pmu_model.h) as the kernel drives it: eight counters a CPU that a plugin
// adds to the emulated machine. Everything here acts on the calling CPU's counters. Without the
// plugin model_present is false and every call E_NOTSUP.
#ifndef KERNEL_MODEL_UNIT_H
#define KERNEL_MODEL_UNIT_H

#include <kernel/percpu.h>
#include <kernel/pmu_cpu.h>
#include <orrery/pmu_model.h>
#include <pmu/platform.h>

// Boot CPU, real mode: a unit that still counts for what ran here before a reset stops, so that it
// does not write into memory which is ours now. Before anything is read or written outside of the
// kernel's image.
void model_forget(void);
// Boot CPU, once, before any other use; memory can be had. Says on the console when the unit is not
// there, or cannot be used. 0, or E_NOMEM.
s64 model_init(void);
// On each CPU, the boot CPU included, interrupts off: its tag goes where the unit looks for it.
void model_init_cpu(void);

// Is there a unit? Any context.
bool model_present(void);
// What it is, can count, and how exactly; NULL without one. Any context.
const struct model_page *model_machine(void);
// The calling CPU's slot: last command and result (enum model_command, MODEL_BAD_…), ring.
// Only when model_present.
// Preemption does not matter, threads never change their CPU; but interrupts put commands too.
struct model_cpu *model_slot(void);
// That of another CPU, to look at.
struct model_cpu *model_slot_of(u32 cpu);

// The counters and rings of all CPUs have one user at a time, who acquires them before the calls
// below. 0, E_BUSY, or E_NOTSUP. Any context but PMI.
s64 model_acquire(void);
// Its counters are stopped.
void model_release(void);

// The next one, and those of pmu/platform.h: thread or interrupt context, PMI included except
// where it says otherwise.

// The counters that have overflowed since the last call, bit n: counter n; 0 without a unit.
u64 model_take(void);

// The CPU's tag (MODEL_TAG_…), unit or not. Soft-masked.
static inline u64 model_tag(void)
{
    return *((struct pmu_cpu *)percpu()->pmu)->tag;
}

// Has the unit look at the tag now. Any context but PMI.
void model_look_at_tag(void);

// This CPU goes on for somebody else, or in another address space. Soft-masked.
// kernel/ipc/fast_path.S does the same; it need not tell the unit, which looks when a process is
// entered: a few instructions later.
static inline void model_set_tag(u64 tag)
{
    u64 *word = ((struct pmu_cpu *)percpu()->pmu)->tag;
    u64 before = *word;

    *word = tag;
    if (__builtin_expect((s64)(before ^ tag) < 0, 0)) // MODEL_TAG_EXCLUDED
        model_look_at_tag();
}

// In a thread, all CPUs up: finds the unit's interrupts.
// On a CPU without one its overflows cannot interrupt.
void model_interrupts_init(void);

// ---- precise records ----------------------------------------------------------------------------

// The calls below: thread context, any CPU; of one CPU's ring one caller at a time.

// Gives a CPU an empty ring of so many records, 8 … 32768, a power of two, in place of the one it
// has; 0: none. 0, E_INVAL, E_NOMEM: it keeps the one it has; E_TIMEOUT.
s64 model_ring_resize(u32 cpu, u64 records);
// The oldest record not yet given back; NULL: none.
const struct model_record *model_ring_peek(u32 cpu);
// Gives that one back.
void model_ring_next(u32 cpu);
// How many are there.
u64 model_ring_count(u32 cpu);

#endif
