// SPDX-License-Identifier: MIT
// TLB and caches behind each access.
#include "hierarchy.h"

#include "counters.h"
#include "outcome.h"
#include "plan.h"

#define LONGEST_ACCESS 16        // bytes
#define SPACE_KERNEL (1UL << 32) // no tag has this number

// The lower quarter of translated addresses is each space's own.
static u64 space_of(const struct vcpu *cpu, u64 address, u64 bits)
{
    if (address >> 62 || !(bits & PLACE_TRANSLATED))
        return SPACE_KERNEL;
    return cpu->slot ? guest_read(&cpu->slot->tag) & MODEL_TAG_SPACE : 0;
}

// The space sits above what a line's number needs, so that sets are chosen by the address alone. The kernel's lines
// have none.
static u64 line_of(u64 space, u64 address)
{
    u64 above = space == SPACE_KERNEL ? 0 : (space + 1) << 44;
    return above ^ ((address & ~(0xfUL << 60)) >> unit.line_shift);
}

static void take_invalidations(struct vcpu *cpu)
{
    pthread_mutex_lock(&cpu->lock);
    if (cpu->invalidation_count > INVALIDATIONS)
        tlb_model_flush_all(cpu->tlb);
    for (unsigned i = 0; i < cpu->invalidation_count && i < INVALIDATIONS; i++) {
        const struct invalidation *invalidation = &cpu->invalidations[i];
        if (invalidation->what == INVALIDATE_PAGE)
            tlb_model_flush(cpu->tlb, invalidation->space, invalidation->page);
        else if (invalidation->what == INVALIDATE_SPACE)
            tlb_model_flush_space(cpu->tlb, invalidation->space);
        else
            tlb_model_flush_all(cpu->tlb);
    }
    cpu->invalidation_count = 0;
    __atomic_store_n(&cpu->invalidated, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&cpu->lock);
}

static bool tlb_miss(struct vcpu *cpu, u64 space, u64 address)
{
    if (__atomic_load_n(&cpu->invalidated, __ATOMIC_RELAXED))
        take_invalidations(cpu);
    return !tlb_model_access(cpu->tlb, space, address >> unit.page_shift);
}

static void access_l2(struct vcpu *cpu, u64 line, bool user, u64 pc)
{
    if (planned(EVENT(MODEL_L2_MISS)) && !cache_model_access(cpu->l2, line))
        count_event(cpu, MODEL_L2_MISS, user, pc);
}

static inline void access_data(struct vcpu *cpu, u64 address, const void *data)
{
    u64 bits = (u64)(uintptr_t)data, pc = place_pc(data), space = space_of(cpu, address, bits);
    bool user = bits & PENDING_USER;
    cpu->board->address = address;
    if (bits & PLACE_TRANSLATED && planned(TLB_EVENTS) && tlb_miss(cpu, space, address))
        count_event(cpu, MODEL_DTLB_MISS, user, pc);
    if (!planned(EVENT(MODEL_L1D_MISS) | EVENT(MODEL_L2_MISS)))
        return;
    u64 line = line_of(space, address);
    if (cache_model_access(cpu->l1d, line))
        return;
    count_event(cpu, MODEL_L1D_MISS, user, pc);
    access_l2(cpu, line, user, pc);
}

void hierarchy_data(unsigned number, qemu_plugin_meminfo_t info, u64 address, void *data)
{
    struct vcpu *cpu = vcpu_enter(number);
    u64 last = address + LONGEST_ACCESS - 1;
    access_data(cpu, address, data);
    if (address >> unit.line_shift == last >> unit.line_shift)
        return;
    last = address + (1UL << qemu_plugin_mem_size_shift(info)) - 1;
    if (address >> unit.line_shift != last >> unit.line_shift)
        access_data(cpu, last, data);
}

void hierarchy_fetch(unsigned number, void *data)
{
    struct vcpu *cpu = vcpu_enter(number);
    u64 bits = (u64)(uintptr_t)data, pc = place_pc(data), space = space_of(cpu, pc, bits);
    bool user = bits & PENDING_USER;
    cpu->board->line = (pc >> unit.line_shift << unit.line_shift) | 1;
    if (bits & PLACE_TRANSLATED && planned(TLB_EVENTS) && tlb_miss(cpu, space, pc))
        count_event(cpu, MODEL_ITLB_MISS, user, pc);
    if (!planned(EVENT(MODEL_L1I_MISS) | EVENT(MODEL_L2_MISS)))
        return;
    u64 line = line_of(space, pc);
    if (cache_model_access(cpu->l1i, line))
        return;
    count_event(cpu, MODEL_L1I_MISS, user, pc);
    access_l2(cpu, line, user, pc);
}

void hierarchy_address(unsigned number, qemu_plugin_meminfo_t info, u64 address, void *data)
{
    (void)info;
    (void)data;
    unit.vcpu[number].board->address = address;
}

static void send(struct vcpu *cpu, const struct invalidation *invalidation)
{
    pthread_mutex_lock(&cpu->lock);
    if (cpu->invalidation_count < INVALIDATIONS)
        cpu->invalidations[cpu->invalidation_count] = *invalidation;
    if (cpu->invalidation_count <= INVALIDATIONS)
        cpu->invalidation_count++;
    __atomic_store_n(&cpu->invalidated, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&cpu->lock);
}

// Power ISA 3.0B, Book III, 5.9.3.3: rB holds IS in bits 52:53, AP in 56:58 and the address; rS the process number in
// its upper half.
void hierarchy_invalidate(unsigned number, void *data)
{
    u64 bits = (u64)(uintptr_t)data;
    u64 rb = guest_register(bits & 31), rs = guest_register(bits >> 5 & 31);
    u64 is = rb >> 10 & 3, page_size = rb >> 5 & 7;
    struct invalidation invalidation = {.what = INVALIDATE_ALL};
    if (is == 0 || is == 1) {
        // Process 0 is the kernel's.
        invalidation.space = rs >> 32 ? rs >> 32 : SPACE_KERNEL;
        invalidation.what = is == 0 && page_size == 0 ? INVALIDATE_PAGE : INVALIDATE_SPACE;
        invalidation.page = (rb & ~0xfffUL) >> unit.page_shift;
    }
    for (unsigned i = 0; i < unit.cpus; i++) {
        if (!(bits & HIERARCHY_LOCAL) || i == number)
            send(&unit.vcpu[i], &invalidation);
    }
}
