// SPDX-License-Identifier: MIT
// 64-bit big-endian ELF, ELFv1: the entry is a function descriptor. Every field is checked before
// use.
#include <elf/elf.h>

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <string.h>

#define PAGE 4096UL
#define MACHINE_PPC64 21
#define TYPE_EXECUTABLE 2
#define ABI_BITS 3u // of the header's flags: 0 or 1 for ELFv1
#define PT_LOAD 1
#define PT_GNU_STACK 0x6474e551
#define PF_X 1u
#define PF_W 2u
#define PF_R 4u

struct elf_header {
    u8 identity[16];
    u16 type, machine;
    u32 version;
    u64 entry, segments, sections;
    u32 flags;
    u16 header_bytes, segment_bytes, segment_count, section_bytes, section_count, names;
};

struct elf_segment_header {
    u32 type, flags;
    u64 offset, address, physical, file_bytes, memory_bytes, alignment;
};

_Static_assert(sizeof(struct elf_header) == 64 && sizeof(struct elf_segment_header) == 56, "ELF");

static bool header_good(const struct elf_header *header, u64 bytes)
{
    static const u8 identity[] = {0x7f, 'E', 'L', 'F', 2, 2, 1};

    return memcmp(header->identity, identity, sizeof(identity)) == 0 &&
           header->type == TYPE_EXECUTABLE && header->machine == MACHINE_PPC64 &&
           (header->flags & ABI_BITS) <= 1 &&
           header->segment_bytes == sizeof(struct elf_segment_header) &&
           header->segments <= bytes &&
           bytes - header->segments >= header->segment_count * sizeof(struct elf_segment_header);
}

// below: lowest valid start, the end of the segment before it.
static bool segment_good(const struct elf_segment_header *header, u64 bytes, u64 below)
{
    return header->offset % PAGE == 0 && header->address % PAGE == 0 && header->offset <= bytes &&
           header->file_bytes <= bytes - header->offset &&
           header->file_bytes <= header->memory_bytes && header->address >= below &&
           header->address < USER_HEAP && header->memory_bytes <= USER_HEAP - header->address &&
           (header->flags & (PF_W | PF_X)) != (PF_W | PF_X);
}

static u32 prot_of(u32 flags)
{
    return (flags & PF_R ? PROT_R : 0) | (flags & PF_W ? PROT_W : 0) | (flags & PF_X ? PROT_X : 0);
}

// Returns the file's bytes for an address, or NULL.
static const u8 *contents_at(const u8 *image, const struct elf_program *program, u64 address,
                             u64 bytes)
{
    for (u32 i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segments[i];
        u64 inside = address - segment->address;
        if (address >= segment->address && inside <= segment->file_bytes &&
            segment->file_bytes - inside >= bytes)
            return image + segment->offset + inside;
    }
    return NULL;
}

s64 elf_read(const void *image, u64 bytes, struct elf_program *program)
{
    struct elf_header header;
    u64 end = USER_START; // of the segments so far

    program->segment_count = 0;
    program->stack_bytes = 0;
    if (bytes < sizeof(header))
        return E_INVAL;
    memcpy(&header, image, sizeof(header));
    if (!header_good(&header, bytes))
        return E_INVAL;
    for (u32 i = 0; i < header.segment_count; i++) {
        struct elf_segment_header segment;
        memcpy(&segment, (const u8 *)image + header.segments + i * sizeof(segment),
               sizeof(segment));
        if (segment.type == PT_GNU_STACK)
            program->stack_bytes = segment.memory_bytes;
        if (segment.type != PT_LOAD || segment.memory_bytes == 0)
            continue;
        if (program->segment_count == ELF_SEGMENTS_MAX || !segment_good(&segment, bytes, end))
            return E_INVAL;
        program->segments[program->segment_count++] =
            (struct elf_segment){.offset = segment.offset,
                                 .address = segment.address,
                                 .file_bytes = segment.file_bytes,
                                 .memory_bytes = segment.memory_bytes,
                                 .prot = prot_of(segment.flags)};
        end = ALIGN_UP(segment.address + segment.memory_bytes, PAGE);
    }
    const u8 *descriptor = contents_at(image, program, header.entry, 2 * sizeof(u64));
    if (descriptor == NULL)
        return E_INVAL;
    memcpy(&program->pc, descriptor, sizeof(u64));
    memcpy(&program->toc, descriptor + sizeof(u64), sizeof(u64));
    return 0;
}
