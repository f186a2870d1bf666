// SPDX-License-Identifier: MIT
// The architected POWER PMU. Sampling uses PMC6 (run cycles): it needs no event selection, and on
// QEMU any MMCR1 other than 0 makes the whole guest slower. QEMU's other events cannot be trusted
// (docs/design/platform.md), so this unit offers no others.
#include "frame.h"

#include <kernel/frame.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/pmu.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/sys.h>

#include "power.h"

#define SPR_MMCR2 785
#define SPR_MMCRA 786
#define SPR_PMC5 791
#define SPR_PMC6 792
#define SPR_MMCR0 795
#define SPR_MMCR1 798

#define MMCR0_FC 0x80000000UL     // counters frozen
#define MMCR0_PMAE 0x04000000UL   // interrupts on
#define MMCR0_FCECE 0x02000000UL  // an overflow freezes
#define MMCR0_PMCJCE 0x00004000UL // PMC2…PMC6 overflow
#define MMCR0_RUN (MMCR0_PMAE | MMCR0_FCECE | MMCR0_PMCJCE)

#define PMC_OVERFLOW 0x80000000UL
// Instructions between entry.S's restart of counting and the interrupted one: not the program's.
#define PMI_EXIT_CYCLES 3

#define LATE_TICKS 4096              // 8 µs: nothing but an emulator delivers that late
#define MAX_BEHIND 4                 // periods
#define CYCLES_A_SECOND 1000000000UL // QEMU's: a cycle is a nanosecond of virtual time

#define PROBE_PERIOD 1000
#define PROBE_MICROSECONDS 30000000UL // an emulator on a busy host may be late

#define read_spr(n)                                                                                \
    __extension__({                                                                                \
        u64 value_;                                                                                \
        __asm__ volatile("mfspr %0," #n : "=r"(value_));                                           \
        value_;                                                                                    \
    })
#define write_spr(n, value) __asm__ volatile("mtspr " #n ",%0" ::"r"((u64)(value)) : "memory")
#define SPR_READ(n) read_spr(n)
#define SPR_WRITE(n, value) write_spr(n, value)

u64 pmi_handle(const struct interrupted *code, u64 pc, u64 msr, u64 state);
u64 pmi_handle_slow(const struct interrupted *code, u64 pc, u64 msr, u64 state);

// Xorshift (Marsaglia): cheap, and any period of ours is far from its length.
static inline u64 next_random(u64 x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

static inline u64 next_period(struct pmu_cpu *cpu)
{
    if (__builtin_expect(cpu->random_mask == 0, 1))
        return cpu->reload;
    cpu->random = next_random(cpu->random);
    return cpu->reload + (cpu->random & cpu->random_mask);
}

// Returns the cycles to leave out of the next period. An emulator may deliver the interrupt long
// after the overflow, with the counter frozen in between. Shorter periods make up for it, so the
// rate is as requested. More than MAX_BEHIND periods are given up, and counted.
static inline u64 make_up(struct pmu_cpu *cpu, u64 late_ticks)
{
    u64 behind = cpu->behind + (late_ticks * cpu->cycles_a_tick >> 16);
    u64 most = cpu->period - cpu->period / 8;
    if (behind > MAX_BEHIND * cpu->period) {
        u64 given_up = behind / cpu->period - MAX_BEHIND;
        cpu->missed += given_up;
        behind -= given_up * cpu->period;
    }
    u64 now = behind < most ? behind : most;
    cpu->behind = behind - now;
    return now;
}

static inline u64 next_reload(struct pmu_cpu *cpu)
{
    u64 reload = next_period(cpu);
    u64 now = timebase();
    s64 late = (s64)(now - cpu->due);
    if (__builtin_expect(late > LATE_TICKS || cpu->behind != 0, 0))
        reload += make_up(cpu, late > LATE_TICKS ? (u64)late : 0);
    cpu->due = now + ((PMC_OVERFLOW - reload) * cpu->ticks_a_cycle >> 32);
    return reload;
}

// PMC5 always counts instructions, and its overflow interrupts too.
static u64 no_sample(struct pmu_cpu *cpu)
{
    cpu->spurious++;
    SPR_WRITE(SPR_PMC5, 0);
    return cpu->running ? MMCR0_RUN : MMCR0_FC;
}

// Both are called from entry.S, counters frozen, and return the MMCR0 to continue with. If
// pmi_handle returns 0, it has done nothing, and pmi_handle_slow must. pmi_handle calls nothing and
// uses no global data, because entry.S saves only what a leaf function of the kernel changes.
u64 pmi_handle(const struct interrupted *code, u64 pc, u64 msr, u64 state)
{
    struct pmu_cpu *cpu = pmu_cpu();
    if (!(SPR_READ(SPR_PMC6) & PMC_OVERFLOW) || !sample_try(cpu, code, pc, msr, state))
        return 0;
    SPR_WRITE(SPR_PMC6, next_reload(cpu));
    return MMCR0_RUN;
}

static u64 handle_slow(const struct interrupted *code, u64 pc, u64 msr, u64 state)
{
    struct pmu_cpu *cpu = pmu_cpu();
    if (!cpu->running || !(SPR_READ(SPR_PMC6) & PMC_OVERFLOW))
        return no_sample(cpu);
    sample_take(cpu->buffer, code, pc, msr, state);
    SPR_WRITE(SPR_PMC6, next_reload(cpu));
    return MMCR0_RUN;
}

// entry.S goes back to user mode without a look at user_work. The decrementer's interrupt does
// look, so it is brought forward (S001 §3.6.3.1); its handler sets it anew.
u64 pmi_handle_slow(const struct interrupted *code, u64 pc, u64 msr, u64 state)
{
    u64 mmcr0 = handle_slow(code, pc, msr, state);
    if ((msr & SAMPLE_MSR_PR) != 0 && percpu()->user_work != 0)
        __asm__ volatile("mtdec %0" ::"r"(1UL));
    return mmcr0;
}

// A write to MMCR0 without PMAO also cancels the interrupt.
void pmu_sample_frame(const struct frame *frame)
{
    struct interrupted code = interrupted_of(frame);
    u64 state = unwind_state(frame->pc);
    SPR_WRITE(SPR_MMCR0, handle_slow(&code, frame->pc, frame->msr, state));
}

void power_stop(void)
{
    SPR_WRITE(SPR_MMCR0, MMCR0_FC);
    SPR_WRITE(SPR_PMC5, 0);
    SPR_WRITE(SPR_PMC6, 0); // an interrupt on its way will find no overflow
    pmu_cpu()->running = 0;
    pmu_cpu()->quick = pmu_cpu()->buffer = NULL;
}

void power_reset(void)
{
    power_stop();
    SPR_WRITE(SPR_MMCR1, 0);
    SPR_WRITE(SPR_MMCR2, 0);
    SPR_WRITE(SPR_MMCRA, 0);
}

static void power_run(u64 count)
{
    SPR_WRITE(SPR_PMC5, 0);
    SPR_WRITE(SPR_PMC6, count);
    SPR_WRITE(SPR_MMCR0, MMCR0_RUN);
}

s64 power_probe(void)
{
    u64 before = pmu_cpu()->spurious;
    u64 deadline = timebase() + microseconds_to_ticks(PROBE_MICROSECONDS);
    const volatile u64 *now = &pmu_cpu()->spurious;
    power_run(PMC_OVERFLOW - PROBE_PERIOD);
    while (*now == before && timebase() < deadline)
        __asm__ volatile("or 31,31,31"); // lets an emulator's other threads run
    power_stop();
    return *now != before ? 0 : E_NOTSUP;
}

// The longest periods do not fit the counter with what is added to them. Beyond 0 it would begin as
// if it had overflowed, and interrupt for ever.
static u64 reload_for(u64 cycles)
{
    return cycles < PMC_OVERFLOW ? PMC_OVERFLOW - cycles : 0;
}

// Forgets how far it was behind.
void power_change(const struct power_sampling *sampling)
{
    struct pmu_cpu *cpu = pmu_cpu();
    u64 random_mask = (1UL << sampling->randomise) - 1;
    cpu->reload = reload_for(sampling->period + PMI_EXIT_CYCLES + random_mask / 2);
    cpu->random_mask = random_mask;
    cpu->random = timebase() | 1;
    cpu->period = sampling->period;
    cpu->behind = 0;
    cpu->due = UINT64_MAX / 2;
    power_run(next_reload(cpu));
}

void power_choose_way(void)
{
    struct pmu_cpu *cpu = pmu_cpu();
    cpu->quick = cpu->callers == 0 && cpu->tells == 0 ? cpu->buffer : NULL;
}

void power_start(const struct power_sampling *sampling)
{
    struct pmu_cpu *cpu = pmu_cpu();
    cpu->ticks_a_cycle = (timebase_hz << 32) / CYCLES_A_SECOND;
    cpu->cycles_a_tick = (CYCLES_A_SECOND << 16) / timebase_hz;
    cpu->missed = 0;
    cpu->buffer = sampling->buffer;
    power_choose_way();
    cpu->running = 1;
    power_change(sampling);
}

const u64 *power_missed(u32 cpu)
{
    return &((const struct pmu_cpu *)percpu_of(cpu)->pmu)->missed;
}
