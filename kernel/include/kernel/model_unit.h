// SPDX-License-Identifier: MIT
// The kernel's driver of the model unit (orrery/pmu_model.h): eight counters a CPU that a plugin
// adds to the emulated machine. Everything here acts on the calling CPU's counters. Without the
// plugin model_present is false and every call returns E_NOTSUP.
#ifndef KERNEL_MODEL_UNIT_H
#define KERNEL_MODEL_UNIT_H

#include <kernel/percpu.h>
#include <kernel/pmu_cpu.h>
#include <orrery/pmu_model.h>
#include <pmu/platform.h>

// Stops a unit that still counts for what ran here before a reset, so that it does not write into
// memory that is ours now. Boot CPU, real mode, before anything outside of the kernel's image is
// read or written.
void model_stop_stale(void);
// Attaches the unit. Reports on the console if it is missing or unusable. Boot CPU, once, before
// any other use; memory can be allocated. Returns 0 or E_NOMEM.
s64 model_init(void);
// Puts this CPU's tag where the unit looks for it. On each CPU, the boot CPU included, interrupts
// off.
void model_init_cpu(void);

// Returns whether there is a unit. Any context.
bool model_present(void);
// Returns its description: events, counters, exactness; NULL without one. Any context.
const struct model_page *model_machine(void);
// Returns the calling CPU's slot: last command and result (enum model_command, MODEL_BAD_…), ring.
// Only if model_present. Preemption does not matter, because threads never change their CPU; but
// interrupts give commands too.
struct model_cpu *model_slot(void);
// Returns another CPU's slot, for reading.
struct model_cpu *model_slot_of(u32 cpu);

// Acquires the counters and rings of all CPUs, which have one user at a time. Before the calls
// below. Returns 0, E_BUSY or E_NOTSUP. Any context but PMI.
s64 model_acquire(void);
// Gives them back; their counters are stopped.
void model_release(void);

// The next function, and those of pmu/platform.h: thread or interrupt context, PMI included except
// where noted.

// Returns the counters that have overflowed since the last call, bit n: counter n; 0 without a
// unit.
u64 model_take(void);

// Returns the CPU's tag (MODEL_TAG_…), unit or not. Soft-masked.
static inline u64 model_tag(void)
{
    return *((struct pmu_cpu *)percpu()->pmu)->tag;
}

// Makes the unit look at the tag now. Any context but PMI.
void model_reload_tag(void);

// Sets the tag when this CPU runs for another process, or in another address space. Soft-masked.
// kernel/ipc/fast_path.S does the same. It need not tell the unit, which looks when a process is
// entered, a few instructions later.
static inline void model_set_tag(u64 tag)
{
    u64 *word = ((struct pmu_cpu *)percpu()->pmu)->tag;
    u64 before = *word;

    *word = tag;
    if (__builtin_expect((s64)(before ^ tag) < 0, 0)) // MODEL_TAG_EXCLUDED
        model_reload_tag();
}

// Finds the unit's interrupts. On a CPU without one its overflows cannot interrupt. In a thread,
// all CPUs up.
void model_interrupts_init(void);

// ---- precise records ----------------------------------------------------------------------------

// The calls below: thread context, any CPU, one caller at a time for each CPU's ring.

// Gives a CPU an empty ring of this many records (8 … 32768, a power of two) in place of its
// present one, or no ring for 0. Returns 0 or E_TIMEOUT, or E_INVAL or E_NOMEM with the present
// ring kept.
s64 model_ring_resize(u32 cpu, u64 records);
// Returns the oldest record not yet given back, or NULL if there is none.
const struct model_record *model_ring_peek(u32 cpu);
// Gives that record back.
void model_ring_next(u32 cpu);
// Returns how many there are.
u64 model_ring_count(u32 cpu);

#endif
