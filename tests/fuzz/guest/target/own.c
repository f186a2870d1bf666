// SPDX-License-Identifier: MIT
// What a program does beside calls: it uses its memory, and spoils what it shares with the kernel.
// All of it enabled, with a way back from faults.
#include "target.h"

#define SPIN_TURNS 64
#define SCRIBBLE_MOST 512
#define PUMP_US 100

static void touch(u64 address, u64 write)
{
    if (write & 1)
        *(volatile u8 *)address = (u8)write;
    else
        (void)*(volatile u8 *)address;
}

static u64 mix(u64 seed)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

// Random words, many of which could be meant: small numbers and addresses.
static u64 spoilt(u64 seed)
{
    switch (seed >> 32 & 7) {
    case 0:
    case 1:
        return seed & 0xff;
    case 2:
        return AREA + (seed & 0xfff8);
    case 3:
        return 0xc000000000000000 | (seed & 0x1ffffff8);
    case 4:
        return (seed & 0xff) << 32 | (seed >> 8 & 0xff);
    default:
        return seed;
    }
}

static void scribble(u64 address, u64 words, u64 seed)
{
    volatile u64 *page_words = (volatile u64 *)ALIGN_DOWN(address, 8UL);

    seed = seed * 2 + 1;
    for (u64 i = 0; i < words && i < SCRIBBLE_MOST; i++) {
        seed = mix(seed);
        page_words[seed >> 20 & (SCRIBBLE_MOST - 1)] = spoilt(seed);
    }
}

static void spin(u64 turns)
{
    for (u64 i = 0; i < (turns & 0xfff) * SPIN_TURNS; i++)
        __asm__ volatile("" ::: "memory");
}

static void use_fpu(void)
{
    __asm__ volatile("fadd 1,1,2\n\tfmr 31,1" ::: "fr1", "fr31");
}

static s64 raw(const u64 values[FUZZ_ARGUMENTS])
{
    u64 registers[RAW_REGISTERS] = {values[0]};

    copy(&registers[1], &values[1], 8 * sizeof(u64));
    if (excluded(registers))
        return INT64_MIN;
    raw_call(registers);
    return (s64)registers[1];
}

static s64 act(struct thread *self, u32 what, const u64 values[FUZZ_ARGUMENTS])
{
    switch (what) {
    case FUZZ_OWN_TOUCH:
        touch(values[0], values[1]);
        break;
    case FUZZ_OWN_EXECUTE:
        execute_at(values[0]);
        break;
    case FUZZ_OWN_POKE:
        *(volatile u64 *)ALIGN_DOWN(values[0], 8UL) = values[1];
        break;
    case FUZZ_OWN_SCRIBBLE:
        scribble(values[0], values[1], values[2]);
        break;
    case FUZZ_OWN_SPIN:
        spin(values[0]);
        break;
    case FUZZ_OWN_FPU:
        use_fpu();
        break;
    case FUZZ_OWN_RAW:
        return raw(values);
    default:
        page()->disabled = 1;
        return event_pump(self, (u32)values[0] & 15, PUMP_US);
    }
    return 0;
}

s64 perform_own(struct thread *self, const struct fuzz_call *call, const struct fuzz_step *step)
{
    u64 values[FUZZ_ARGUMENTS] = {0};
    volatile s64 result = E_FAULT;

    for (u32 i = 0; i < call->parameters; i++)
        values[i] = value_of(self, &step->arguments[i], FUZZ_PAGE);
    if (context_save(self->context) == 0) {
        self->guarded = true;
        page()->disabled = 0;
        result = act(self, call->number, values);
    }
    page()->disabled = 1;
    self->guarded = false;
    return result;
}
