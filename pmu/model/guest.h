// SPDX-License-Identifier: MIT
// The guest's memory, as the file in which QEMU keeps it, and the registers of the CPU that runs a
// callback. Guest memory is big-endian, and the guest may change it at any time: read a word once,
// then check it.
#ifndef MODEL_GUEST_H
#define MODEL_GUEST_H

#include <endian.h>
#include <orrery/types.h>

// Maps the file. Returns false with the reason in errno.
bool guest_memory_open(const char *path);

// Returns where bytes of guest memory at a physical address are, or NULL if not all are memory.
void *guest_memory_at(u64 physical, u64 bytes);

static inline u64 guest_read(const u64 *word)
{
    return be64toh(__atomic_load_n(word, __ATOMIC_RELAXED));
}

static inline void guest_write(u64 *word, u64 value)
{
    __atomic_store_n(word, htobe64(value), __ATOMIC_RELAXED);
}

// Does as guest_write, after all earlier writes of this thread.
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
#define MSR_DR 0x10UL   // data addresses are translated
#define CR0_EQ 0x20000000UL

// Finds the registers. For a CPU's initialisation. Returns false if QEMU lacks one.
bool guest_registers_find(void);

// Returns a register's value now. Only from the translation callback and from callbacks that may
// read registers.
u64 guest_register(unsigned number);

// Reads words (1 … 8) of the running CPU's effective memory. Returns false, and stores nothing, if
// they are not there.
bool guest_read_virtual(u64 address, u64 *out, unsigned words);

#endif
