// SPDX-License-Identifier: MIT
// TLB and caches behind each access.
#include "hierarchy.h"

#include "counters.h"
#include "outcome.h"
#include "plan.h"

#define LONGEST_ACCESS 16        // bytes
#define SPACE_KERNEL (1UL << 32) // no tag has this number

// Returns the space of an address: the lower quarter of translated addresses is each space's own.
static inline u64 space_of(const struct vcpu *cpu, u64 address, u64 bits)
{
    if (address >> 62 || !(bits & PLACE_TRANSLATED))
        return SPACE_KERNEL;
    return cpu->space;
}

// The space lies above the bits of a line's number, so the address alone chooses the set. The
// kernel's lines have no space.
static inline u64 line_of(u64 space, u64 address)
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

static void access_l1d(struct vcpu *cpu, u64 line, bool user, u64 pc)
{
    if (cache_model_access(cpu->l1d, line))
        return;
    count_event(cpu, MODEL_L1D_MISS, user, pc);
    access_l2(cpu, line, user, pc);
}

static void access_l1i(struct vcpu *cpu, u64 line, bool user, u64 pc)
{
    if (cache_model_access(cpu->l1i, line))
        return;
    count_event(cpu, MODEL_L1I_MISS, user, pc);
    access_l2(cpu, line, user, pc);
}

// Returns the board's word for the line of the last instruction.
static inline u64 line_mark(u64 pc)
{
    return (pc >> unit.line_shift << unit.line_shift) | 1;
}

static void access_data(struct vcpu *cpu, u64 address, u64 bits, u64 pc)
{
    u64 space = space_of(cpu, address, bits);
    bool user = bits & PENDING_USER;
    if (bits & PLACE_TRANSLATED && planned(TLB_EVENTS) && tlb_miss(cpu, space, address))
        count_event(cpu, MODEL_DTLB_MISS, user, pc);
    if (planned(DATA_CACHE_EVENTS))
        access_l1d(cpu, line_of(space, address), user, pc);
}

// The following runs for each access and each line of instructions, so it has a path without a
// call. Most accesses are to the most recently used line of their set in the first cache, and to
// the most recently used page of theirs in the TLB. They change nothing in the models, and are no
// event.

static inline __attribute__((always_inline)) bool page_recent(const struct vcpu *cpu, u64 space,
                                                              u64 address)
{
    return !__atomic_load_n(&cpu->invalidated, __ATOMIC_RELAXED) &&
           tlb_model_recent(cpu->tlb, space, address >> unit.page_shift);
}

static __attribute__((noinline)) void data_slowly(unsigned number, qemu_plugin_meminfo_t info,
                                                  u64 address, const void *at)
{
    struct vcpu *cpu = vcpu_enter(number);
    u64 bits = (u64)(uintptr_t)at, pc = place_pc(at);
    u64 last = address + (1UL << qemu_plugin_mem_size_shift(info)) - 1;
    access_data(cpu, address, bits, pc);
    if (address >> unit.line_shift != last >> unit.line_shift)
        access_data(cpu, last, bits, pc);
}

static inline __attribute__((always_inline)) void data(unsigned number, qemu_plugin_meminfo_t info,
                                                       u64 address, const void *at, bool in_tlb,
                                                       bool in_cache)
{
    const struct vcpu *cpu = &unit.vcpu[number];
    u64 space = space_of(cpu, address, in_tlb ? PLACE_TRANSLATED : (u64)(uintptr_t)at);
    u64 last = address + LONGEST_ACCESS - 1;
    if (!vcpu_is_current(cpu) || address >> unit.line_shift != last >> unit.line_shift ||
        (in_tlb && !page_recent(cpu, space, address)) ||
        (in_cache && !cache_model_recent(cpu->l1d, line_of(space, address))))
        data_slowly(number, info, address, at);
}

void hierarchy_data(unsigned number, qemu_plugin_meminfo_t info, u64 address, void *at)
{
    data(number, info, address, at, true, true);
}

void hierarchy_data_tlb(unsigned number, qemu_plugin_meminfo_t info, u64 address, void *at)
{
    data(number, info, address, at, true, false);
}

void hierarchy_data_cache(unsigned number, qemu_plugin_meminfo_t info, u64 address, void *at)
{
    data(number, info, address, at, false, true);
}

static __attribute__((noinline)) void fetch_slowly(unsigned number, const void *at)
{
    struct vcpu *cpu = vcpu_enter(number);
    u64 bits = (u64)(uintptr_t)at, pc = place_pc(at), space = space_of(cpu, pc, bits);
    bool user = bits & PENDING_USER;
    cpu->board->line = line_mark(pc);
    if (bits & PLACE_TRANSLATED && planned(TLB_EVENTS) && tlb_miss(cpu, space, pc))
        count_event(cpu, MODEL_ITLB_MISS, user, pc);
    if (planned(FETCH_CACHE_EVENTS))
        access_l1i(cpu, line_of(space, pc), user, pc);
}

void hierarchy_fetch(unsigned number, void *at)
{
    const struct vcpu *cpu = &unit.vcpu[number];
    u64 bits = (u64)(uintptr_t)at, pc = place_pc(at), space = space_of(cpu, pc, bits);
    cpu->board->line = line_mark(pc);
    if (!vcpu_is_current(cpu) || (planned(TLB_EVENTS) && !page_recent(cpu, space, pc)) ||
        (planned(FETCH_CACHE_EVENTS) && !cache_model_recent(cpu->l1i, line_of(space, pc))))
        fetch_slowly(number, at);
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

// Power ISA 3.0B, Book III, 5.9.3.3: rB holds IS in bits 52:53, AP in 56:58 and the address; rS the
// process number in its upper half.
void hierarchy_invalidate(unsigned number, void *data)
{
    u64 bits = (u64)(uintptr_t)data;
    u64 rb = guest_register(bits & 31), rs = guest_register(bits >> 5 & 31);
    u64 is = rb >> 10 & 3, page_size = rb >> 5 & 7;
    struct invalidation invalidation = {.what = INVALIDATE_ALL};
    if (is == 0 || is == 1) {
        // Process 0 is the kernel.
        invalidation.space = rs >> 32 ? rs >> 32 : SPACE_KERNEL;
        invalidation.what = is == 0 && page_size == 0 ? INVALIDATE_PAGE : INVALIDATE_SPACE;
        invalidation.page = (rb & ~0xfffUL) >> unit.page_shift;
    }
    for (unsigned i = 0; i < unit.cpus; i++) {
        if (!(bits & HIERARCHY_LOCAL) || i == number)
            send(&unit.vcpu[i], &invalidation);
    }
}
