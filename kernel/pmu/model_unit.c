// SPDX-License-Identifier: MIT
// The model unit: attaches the page, and gives a CPU's commands. A command's arguments lie in the
// CPU's slot, which the interrupt handler uses too, so each command runs with MSR[EE] off.
#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <string.h>

#include "sample.h"

#define PAGE_ORDER 4                   // MODEL_PAGE_BYTES
#define ENABLE_MICROSECONDS 30000000UL // an emulator on a busy host may be late

_Static_assert(PAGE_SIZE << PAGE_ORDER == MODEL_PAGE_BYTES, "whole pages, naturally aligned");

// A trap that never traps; the plugin sees it execute. The memory is the page.
#define COMMAND(number, word)                                                                      \
    __asm__ volatile("twi 0,%0,%1" ::"r"(word), "i"(MODEL_COMMAND | (number)) : "memory")

static struct model_page *page; // NULL: no unit
static u64 no_tag;              // destination of tags without a unit
static bool acquired;

bool model_present(void)
{
    return page != NULL;
}

const struct model_page *model_machine(void)
{
    return page;
}

struct model_cpu *model_slot_of(u32 cpu)
{
    return &page->cpu[cpu];
}

struct model_cpu *model_slot(void)
{
    return model_slot_of(cpu_id());
}

s64 model_acquire(void)
{
    if (page == NULL)
        return E_NOTSUP;
    return __atomic_exchange_n(&acquired, true, __ATOMIC_ACQUIRE) ? E_BUSY : 0;
}

void model_release(void)
{
    __atomic_store_n(&acquired, false, __ATOMIC_RELEASE);
}

// ---- commands -----------------------------------------------------------------------------------

static s64 outcome(void)
{
    switch (model_slot()->result) {
    case MODEL_OK:
        return 0;
    case MODEL_BAD_EVENT:
        return E_NOENT;
    case MODEL_BAD_COMMAND:
        return E_NOTSUP;
    default:
        return E_INVAL;
    }
}

s64 model_program(const struct model_program *program)
{
    if (page == NULL)
        return E_NOTSUP;
    u64 msr = hard_mask();
    memcpy(model_slot()->arguments, program, sizeof(*program));
    COMMAND(MODEL_PROGRAM, 0);
    s64 error = outcome();
    hard_mask_restore(msr);
    return error;
}

static s64 wait_for_generation(u64 generation)
{
    u64 deadline = timebase() + microseconds_to_ticks(ENABLE_MICROSECONDS);

    while (__atomic_load_n(&page->generation, __ATOMIC_ACQUIRE) < generation) {
        if (timebase() > deadline)
            return E_TIMEOUT;
        __asm__ volatile("or 31,31,31"); // lets an emulator's other threads run
    }
    return 0;
}

s64 model_enable(u64 counters)
{
    if (page == NULL)
        return E_NOTSUP;
    u64 msr = hard_mask();
    model_slot()->arguments[0] = counters;
    COMMAND(MODEL_ENABLE, 0);
    s64 error = outcome();
    u64 wanted = __atomic_load_n(&page->wanted, __ATOMIC_RELAXED); // this one's, or a later one's
    hard_mask_restore(msr);
    return error != 0 ? error : wait_for_generation(wanted);
}

s64 model_read(u64 values[MODEL_COUNTERS])
{
    if (page == NULL)
        return E_NOTSUP;
    u64 msr = hard_mask();
    COMMAND(MODEL_READ, 0);
    s64 error = outcome();
    memcpy(values, model_slot()->value, sizeof(model_slot()->value));
    hard_mask_restore(msr);
    return error;
}

void model_reload_tag(void)
{
    if (page == NULL)
        return;
    u64 msr = hard_mask();
    COMMAND(MODEL_READ, 0);
    hard_mask_restore(msr);
}

u64 model_take(void)
{
    if (page == NULL)
        return 0;
    u64 msr = hard_mask();
    COMMAND(MODEL_TAKE, 0);
    u64 overflows = outcome() == 0 ? model_slot()->overflows : 0;
    hard_mask_restore(msr);
    return overflows;
}

// ---- start-up -----------------------------------------------------------------------------------

void model_stop_stale(void)
{
    COMMAND(MODEL_DETACH, 0);
}

static void refuse(struct model_page *none)
{
    if (none->version == MODEL_VERSION)
        kprintf("pmu: no model unit (scripts/qemu --pmu model): samples of cycles only\n");
    else
        kprintf("pmu: the model unit has version %lu, not %d: samples of cycles only\n",
                none->version, MODEL_VERSION);
    pages_free(none, PAGE_ORDER);
}

s64 model_init(void)
{
    struct model_page *new = pages_alloc_zeroed(PAGE_ORDER);

    if (new == NULL)
        return E_NOMEM;
    new->version = MODEL_VERSION;
    COMMAND(MODEL_ATTACH, virt_to_phys(new));
    if (new->magic == MODEL_MAGIC)
        page = new;
    else
        refuse(new);
    return 0;
}

// The unit has its own numbers for CPUs, and answers in the slot that it takes for ours.
static bool slot_is_ours(void)
{
    struct model_cpu *slot = model_slot();

    slot->command = 0;
    COMMAND(MODEL_READ, 0);
    return slot->command == MODEL_READ && slot->result == MODEL_OK;
}

void model_init_cpu(void)
{
    if (page != NULL && !slot_is_ours()) {
        kprintf("pmu: the model unit takes CPU %u for another: not used\n", cpu_id());
        page = NULL; // not freed: the unit has it
    }
    pmu_cpu()->tag = page != NULL ? &model_slot()->tag : &no_tag;
}
