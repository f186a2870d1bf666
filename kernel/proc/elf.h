// SPDX-License-Identifier: MIT
// Programs as ELF files: 64-bit, big endian, PowerPC, ABI version 1, linked statically.
#ifndef KERNEL_PROC_ELF_H
#define KERNEL_PROC_ELF_H

#include <orrery/types.h>

struct elf_segment {
    u64 address, memory_bytes;
    u64 offset, file_bytes; // in the file
    u32 prot;               // PROT_*
};

struct elf_program {
    struct elf_segment *segments; // room for max
    u32 max, count;
    u64 entry; // address of the entry function's descriptor
};

// Checks a file and fills in *program. 0, or E_INVAL: not such a file, or one whose parts lie
// outside of it, of user addresses, or in one another's pages.
s64 elf_read(const void *file, u64 bytes, struct elf_program *program);

#endif
