// SPDX-License-Identifier: MIT
// ELF files, checked in every part that is used. The file may lie at any alignment.
#include "elf.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <string.h>

#define PAGE 4096UL
#define EM_PPC64 21
#define ET_EXEC 2
#define PT_LOAD 1

struct header {
    u8 ident[16];
    u16 type, machine;
    u32 version;
    u64 entry, program_offset, section_offset;
    u32 flags;
    u16 header_bytes, program_bytes, program_count, section_bytes, section_count, names;
};

struct program_header {
    u32 type, flags;
    u64 offset, address, physical, file_bytes, memory_bytes, align;
};

// 64-bit, big endian, ELF version 1.
static const u8 ident[7] = {0x7f, 'E', 'L', 'F', 2, 2, 1};

static bool acceptable(const struct header *header, u64 bytes)
{
    u64 table = (u64)header->program_count * sizeof(struct program_header);

    return memcmp(header->ident, ident, sizeof(ident)) == 0 && header->machine == EM_PPC64 &&
           header->type == ET_EXEC && (header->flags & 3) <= 1 &&
           header->program_bytes == sizeof(struct program_header) &&
           header->program_offset <= bytes && table <= bytes - header->program_offset;
}

static u32 protection(u32 flags)
{
    return (flags & 4 ? PROT_R : 0) | (flags & 2 ? PROT_W : 0) | (flags & 1 ? PROT_X : 0);
}

static bool in_order(const struct elf_program *program, u64 address)
{
    if (program->count == 0)
        return true;
    const struct elf_segment *last = &program->segments[program->count - 1];
    return ALIGN_UP(last->address + last->memory_bytes, PAGE) <= ALIGN_DOWN(address, PAGE);
}

static bool elf_add(struct elf_program *program, const struct program_header *part, u64 bytes)
{
    u32 prot = protection(part->flags);

    if (program->count == program->max || part->offset > bytes ||
        part->file_bytes > bytes - part->offset || part->file_bytes > part->memory_bytes ||
        part->address < USER_START || part->address >= USER_WINDOW ||
        part->memory_bytes > USER_WINDOW - part->address || !in_order(program, part->address) ||
        (prot & (PROT_W | PROT_X)) == (PROT_W | PROT_X))
        return false;
    program->segments[program->count++] = (struct elf_segment){
        .address = part->address,
        .memory_bytes = part->memory_bytes,
        .offset = part->offset,
        .file_bytes = part->file_bytes,
        .prot = prot,
    };
    return true;
}

s64 elf_read(const void *file, u64 bytes, struct elf_program *program)
{
    struct header header;
    struct program_header part;

    program->count = 0;
    if (bytes < sizeof(header))
        return E_INVAL;
    memcpy(&header, file, sizeof(header));
    if (!acceptable(&header, bytes))
        return E_INVAL;
    for (u32 i = 0; i < header.program_count; i++) {
        memcpy(&part, (const char *)file + header.program_offset + i * sizeof(part), sizeof(part));
        if (part.type == PT_LOAD && part.memory_bytes != 0 && !elf_add(program, &part, bytes))
            return E_INVAL;
    }
    program->entry = header.entry;
    return program->count != 0 ? 0 : E_INVAL;
}
