// SPDX-License-Identifier: MIT
// The guest's side of things: its memory, as the file that QEMU keeps it in, and the registers of
// the CPU that runs a callback. What is in guest memory is big-endian and may be changed by the
// guest at any time: read a word once, then check it.
#ifndef MODEL_GUEST_H
#define MODEL_GUEST_H

#include <endian.h>
#include <orrery/types.h>

// Maps the file. False: errno says why.
bool guest_memory_open(const char *path);

// Where bytes of guest memory at a physical address are, or NULL if they are not all in memory.
void *guest_memory_at(u64 physical, u64 bytes);

static inline u64 guest_read(const u64 *word)
{
    return be64toh(__atomic_load_n(word, __ATOMIC_RELAXED));
}

static inline void guest_write(u64 *word, u64 value)
{
    __atomic_store_n(word, htobe64(value), __ATOMIC_RELAXED);
}

// As guest_write, after all that this thread wrote before.
static inline void guest_publish(u64 *word, u64 value)
{
    __atomic_store_n(word, htobe64(value), __ATOMIC_RELEASE);
}

// Registers by number: 0 … 31 are the general ones.
enum guest_register {
    GUEST_MSR = 32,
    GUEST_LR,
    GUEST_CR,
    GUEST_SRR0,
    GUEST_REGISTERS,
};

#define MSR_PR 0x4000UL // problem state
#define MSR_IR 0x20UL   // instruction addresses are translated
#define MSR_DR 0x10UL   // data addresses are
#define CR0_EQ 0x20000000UL

// Finds the registers. Called from a CPU's initialisation. False: QEMU lacks one.
bool guest_registers_find(void);

// A register's value now. Only from callbacks that may read registers,
// and from the translation callback.
u64 guest_register(unsigned number);

// Reads words of the running CPU's effective memory. False: not there, nothing is stored.
// words: 1 … 8.
bool guest_read_virtual(u64 address, u64 *out, unsigned words);

#endif
