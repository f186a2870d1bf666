// SPDX-License-Identifier: MIT
// Names for addresses of the kernel, from its ELF file and DWARF (elfutils).
#include "symbols/symbols.h"
#include "tools/intern.h"
#include "tools/memory.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_SLOTS 65536 // a power of two; a full cache is cleared
#define INSTRUCTION_BYTES 4

struct cached {
    u64 address;
    struct symbol symbol;
    bool used;
};

struct symbols {
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct cached *cache;
    size_t cached;
    struct intern names; // of all functions
    struct named {
        u64 address;    // of the first function of this name; 0: none yet
        bool ambiguous; // another function has this name, too
    } * named;          // by number of the name
    size_t named_count, named_capacity;
    struct intern texts; // names with their file
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

// Returns the function's name. In this ABI ".name" is the code of a function whose descriptor is
// "name".
static const char *plain_name(const char *name)
{
    return name != NULL && name[0] == '.' && name[1] != '\0' ? name + 1 : name;
}

static struct named *named(struct symbols *symbols, const char *name)
{
    u32 number = intern_text(&symbols->names, name);
    if (number == symbols->named_count) {
        symbols->named = memory_grow(symbols->named, symbols->named_count, &symbols->named_capacity,
                                     sizeof(*symbols->named));
        symbols->named[symbols->named_count++] = (struct named){0};
    }
    return &symbols->named[number];
}

// Finds out which names belong to several functions or variables.
static void enter_names(struct symbols *symbols)
{
    int count = dwfl_module_getsymtab(symbols->module);
    for (int i = 1; i < count; i++) {
        GElf_Sym elf_symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(symbols->module, i, &elf_symbol, &address, NULL, NULL, NULL);
        u32 type = GELF_ST_TYPE(elf_symbol.st_info);
        if (name == NULL || (type != STT_FUNC && type != STT_OBJECT))
            continue;
        struct named *entry = named(symbols, plain_name(name));
        entry->ambiguous |= entry->address != 0 && entry->address != address;
        entry->address = address;
    }
}

struct symbols *symbols_open(const char *path, const char **problem)
{
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module = NULL;
    if (dwfl != NULL)
        module = dwfl_report_offline(dwfl, "kernel", path, -1);
    if (module == NULL || dwfl_report_end(dwfl, NULL, NULL) != 0) {
        *problem = dwfl_errmsg(-1);
        dwfl_end(dwfl);
        return NULL;
    }
    struct symbols *symbols = memory_get(sizeof(*symbols));
    symbols->path = memory_copy_text(path);
    symbols->dwfl = dwfl;
    symbols->module = module;
    symbols->cache = memory_get(CACHE_SLOTS * sizeof(*symbols->cache));
    enter_names(symbols);
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    dwfl_end(symbols->dwfl);
    free(symbols->path);
    intern_free(&symbols->names);
    intern_free(&symbols->texts);
    free(symbols->named);
    free(symbols->cache);
    free(symbols);
}

size_t symbols_build_id(struct symbols *symbols, const u8 **id)
{
    GElf_Addr place;
    int length = dwfl_module_build_id(symbols->module, id, &place);
    return length > 0 ? (size_t)length : 0;
}

const char *symbols_path(const struct symbols *symbols)
{
    return symbols->path;
}

struct Dwfl_Module *symbols_module(const struct symbols *symbols)
{
    return symbols->module;
}

// Returns the name with the file of the function's first line, without folders, or with the address
// of what has no lines, such as a variable. Names of what is static are not unique.
static const char *with_file(struct symbols *symbols, const char *name, u64 address)
{
    Dwfl_Line *line = dwfl_module_getsrc(symbols->module, address);
    const char *file = line == NULL ? NULL : dwfl_lineinfo(line, NULL, NULL, NULL, NULL, NULL);
    char text[256];
    const char *slash = file == NULL ? NULL : strrchr(file, '/');
    if (file != NULL)
        snprintf(text, sizeof(text), "%s (%s)", name, slash == NULL ? file : slash + 1);
    else
        snprintf(text, sizeof(text), "%s (%#lx)", name, (unsigned long)address);
    u32 number = intern_text(&symbols->texts, text);
    return symbols->texts.texts[number];
}

// Returns the name of the function or variable at an address, and tells the offset of the address
// in it, its size, and which of both it is. If a label without size is at a function's beginning,
// returns the function. Such a label is of assembly, or ends what lies before it.
static const char *name_at(struct symbols *symbols, u64 address, struct symbol *found)
{
    GElf_Sym symbol, next;
    GElf_Off offset, next_offset;
    const char *name =
        dwfl_module_addrinfo(symbols->module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name == NULL)
        return NULL;
    found->offset = offset;
    found->size = symbol.st_size;
    found->is_variable = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT;
    if (symbol.st_size != 0)
        return plain_name(name);
    const char *behind = dwfl_module_addrinfo(symbols->module, address + INSTRUCTION_BYTES,
                                              &next_offset, &next, NULL, NULL, NULL);
    if (behind == NULL || next.st_size == 0 || next_offset < INSTRUCTION_BYTES)
        return plain_name(name);
    found->offset = next_offset - INSTRUCTION_BYTES;
    found->size = next.st_size;
    found->is_variable = GELF_ST_TYPE(next.st_info) == STT_OBJECT;
    return plain_name(behind);
}

static struct symbol look_up(struct symbols *symbols, u64 address)
{
    struct symbol symbol = {0};
    symbol.function = name_at(symbols, address, &symbol);
    if (symbol.function != NULL && named(symbols, symbol.function)->ambiguous)
        symbol.function = with_file(symbols, symbol.function, address - symbol.offset);
    Dwfl_Line *line = dwfl_module_getsrc(symbols->module, address);
    int number = 0;
    if (line != NULL)
        symbol.file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
    symbol.line = number > 0 ? (u32)number : 0;
    return symbol;
}

static struct cached *cache_slot(struct symbols *symbols, u64 address)
{
    u64 hash = address * 0x9e3779b97f4a7c15u;
    for (size_t slot = hash >> 48;; slot = (slot + 1) % CACHE_SLOTS) {
        struct cached *cached = &symbols->cache[slot];
        if (!cached->used || cached->address == address)
            return cached;
    }
}

struct symbol symbols_find(struct symbols *symbols, u64 address)
{
    if (symbols == NULL)
        return (struct symbol){0};
    if (symbols->cached >= CACHE_SLOTS * 3 / 4) {
        memset(symbols->cache, 0, CACHE_SLOTS * sizeof(*symbols->cache));
        symbols->cached = 0;
    }
    struct cached *cached = cache_slot(symbols, address);
    if (!cached->used) {
        *cached =
            (struct cached){.address = address, .symbol = look_up(symbols, address), .used = true};
        symbols->cached++;
    }
    return cached->symbol;
}

struct symbol symbols_find_call(struct symbols *symbols, u64 return_address)
{
    return symbols_find(symbols, return_address - INSTRUCTION_BYTES);
}

const char *symbols_inlined(struct symbols *symbols, u64 address)
{
    Dwarf_Addr bias;
    Dwarf_Die *scopes = NULL, *unit = NULL;
    const char *name = NULL;
    if (symbols != NULL)
        unit = dwfl_module_addrdie(symbols->module, address, &bias);
    int count = unit == NULL ? 0 : dwarf_getscopes(unit, address - bias, &scopes);
    for (int i = 0; i < count && name == NULL; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_subprogram)
            break;
        if (tag == DW_TAG_inlined_subroutine)
            name = dwarf_diename(&scopes[i]);
    }
    free(scopes);
    return name;
}
