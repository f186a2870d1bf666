// SPDX-License-Identifier: MIT
// Reads programs: the parts of an ELF file that make up a new process.
#ifndef ELF_ELF_H
#define ELF_ELF_H

#include <orrery/types.h>

#define ELF_SEGMENTS_MAX 16

struct elf_segment {
    u64 offset, address, file_bytes, memory_bytes;
    u32 prot; // PROT_*
};
struct elf_program {
    struct elf_segment segments[ELF_SEGMENTS_MAX]; // loadable ones, page-aligned, by address
    u32 segment_count;
    u64 pc, toc;     // from the descriptor that the entry names
    u64 stack_bytes; // what it asks for, as it stands in PT_GNU_STACK; 0: nothing
};

// Reads an ELF file of bytes at image, at any alignment. Returns 0, or E_INVAL unless it is a
// statically linked ELFv1 program for this machine, with its parts within the file, below USER_HEAP
// and in pages of their own.
s64 elf_read(const void *image, u64 bytes, struct elf_program *program);

#endif
