// SPDX-License-Identifier: MIT
// Names for addresses of the kernel: function, source file and line, from its ELF file and DWARF
// (elfutils).
#ifndef KOV_SYMBOLS_H
#define KOV_SYMBOLS_H

#include <orrery/types.h>

struct symbols;

// A name for one address. Texts live as long as the symbols. If nothing is known, function is NULL.
// If there is no line information, file is NULL.
struct symbol {
    const char *function;
    u64 offset;       // of the address, from the function's begin
    u64 size;         // of the function; 0: the file does not tell it
    bool is_variable; // it is none
    const char *file;
    u32 line;
};

// Opens an ELF file. Returns NULL, with a message in *problem (static or strerror text), if it is
// none.
struct symbols *symbols_open(const char *path, const char **problem);
void symbols_close(struct symbols *symbols); // NULL is allowed

// Returns the length of the file's build id in bytes; 0 when it has none.
size_t symbols_build_id(struct symbols *symbols, const u8 **id);

// Return the file, and what elfutils knows of it. Both live as long as the symbols.
const char *symbols_path(const struct symbols *symbols);
struct Dwfl_Module *symbols_module(const struct symbols *symbols);

// Looks up an address and remembers the answer. If symbols is NULL, nothing is known.
struct symbol symbols_find(struct symbols *symbols, u64 address);
// Looks up a return address. The call is the instruction before it.
struct symbol symbols_find_call(struct symbols *symbols, u64 return_address);
// Returns the name of the function whose code was inlined at an address, the innermost one. NULL:
// none was, or it is not known. Not remembered.
const char *symbols_inlined(struct symbols *symbols, u64 address);

#endif
