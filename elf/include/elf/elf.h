// SPDX-License-Identifier: MIT
// Programs as files: the parts of an ELF file that a new process is made of.
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
    u64 pc, toc; // from the descriptor that the entry names
};

// Reads a file of bytes at image, which may lie at any alignment. 0, or E_INVAL: no ELFv1 program
// for this machine, linked statically, whose parts lie within the file, below USER_HEAP and in
// pages of their own.
s64 elf_read(const void *image, u64 bytes, struct elf_program *program);

#endif
