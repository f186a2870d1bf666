// SPDX-License-Identifier: MIT
// Names for addresses of the kernel: function, source file and line, from its ELF file and DWARF
// (elfutils).
#ifndef KOV_SYMBOLS_H
#define KOV_SYMBOLS_H

#include <orrery/types.h>

struct symbols;

// A name for one address. Texts live as long as the symbols. Where nothing is known function is
// NULL; where there is no line information file is NULL.
struct symbol {
    const char *function;
    u64 offset; // of the address in the function
    u64 size;   // of the function; 0: not told by the file
    const char *file;
    u32 line;
};

// NULL, with a message in *problem (static or strerror text), when path is no ELF file.
struct symbols *symbols_open(const char *path, const char **problem);
void symbols_close(struct symbols *symbols); // NULL is fine

// The file's build id; returns its length in bytes, 0 when it has none.
size_t symbols_build_id(struct symbols *symbols, const u8 **id);

// The file, and what elfutils knows of it; both as long as the symbols.
const char *symbols_path(const struct symbols *symbols);
struct Dwfl_Module *symbols_module(const struct symbols *symbols);

// Looks up an address; remembers the answer. symbols may be NULL: nothing is known then.
struct symbol symbols_find(struct symbols *symbols, u64 address);
// The same for a return address, whose call is the instruction before.
struct symbol symbols_find_call(struct symbols *symbols, u64 return_address);

#endif
