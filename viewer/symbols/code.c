// SPDX-License-Identifier: MIT
// The machine code of functions, from their ELF file: where a function begins and ends,
// and its instructions.
#include "symbols/code.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>

// Finds the file's program header whose contents hold an address. Adds the bias to the header's
// address.
static bool find_segment(struct symbols *symbols, u64 address, GElf_Phdr *found, Elf **file)
{
    GElf_Addr bias;
    size_t count = 0;
    *file = dwfl_module_getelf(symbols_module(symbols), &bias);
    if (*file == NULL || elf_getphdrnum(*file, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(*file, (int)i, found) == NULL || found->p_type != PT_LOAD)
            continue;
        found->p_vaddr += bias;
        if (address >= found->p_vaddr && address - found->p_vaddr < found->p_filesz)
            return true;
    }
    return false;
}

static bool is_for_this_machine(Elf *file)
{
    GElf_Ehdr header;
    return gelf_getehdr(file, &header) != NULL && header.e_machine == EM_PPC64 &&
           header.e_ident[EI_DATA] == ELFDATA2MSB;
}

// Returns the lowest start of a function or label after an address and below `limit`. Returns
// `limit` if there is none.
static u64 next_symbol(struct symbols *symbols, u64 address, u64 limit)
{
    struct Dwfl_Module *module = symbols_module(symbols);
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr start;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &start, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name != NULL && (type == STT_FUNC || type == STT_NOTYPE) && start > address &&
            start < limit)
            limit = start;
    }
    return limit;
}

bool code_find(struct symbols *symbols, u64 address, struct code_range *range)
{
    GElf_Phdr segment;
    Elf *file;
    struct symbol symbol = symbols_find(symbols, address);
    if (symbol.function == NULL || !find_segment(symbols, address, &segment, &file) ||
        !is_for_this_machine(file))
        return false;
    u64 limit = segment.p_vaddr + segment.p_filesz;
    range->start = address - symbol.offset;
    range->end = range->start + symbol.size;
    if (range->start % CODE_INSTRUCTION_BYTES != 0 || range->start < segment.p_vaddr)
        return false;
    if (address >= range->end || range->end > limit)
        range->end = next_symbol(symbols, address, limit);
    if (range->end - range->start > CODE_MAX_BYTES)
        range->end = range->start + CODE_MAX_BYTES;
    range->end -= (range->end - range->start) % CODE_INSTRUCTION_BYTES;
    return address < range->end;
}

bool code_read(struct symbols *symbols, u64 address, u32 *word)
{
    GElf_Phdr segment;
    Elf *file;
    if (!find_segment(symbols, address, &segment, &file))
        return false;
    s64 place = (s64)(segment.p_offset + (address - segment.p_vaddr));
    Elf_Data *data = elf_getdata_rawchunk(file, place, CODE_INSTRUCTION_BYTES, ELF_T_BYTE);
    if (data == NULL || data->d_size != CODE_INSTRUCTION_BYTES)
        return false;
    const u8 *bytes = data->d_buf;
    *word = (u32)bytes[0] << 24 | (u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3];
    return true;
}

struct code_range code_span(struct symbols *symbols)
{
    GElf_Addr start = 0, end = 0;
    dwfl_module_info(symbols_module(symbols), NULL, &start, &end, NULL, NULL, NULL, NULL);
    return (struct code_range){.start = start, .end = end};
}
