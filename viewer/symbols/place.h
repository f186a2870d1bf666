// SPDX-License-Identifier: MIT
// Writes places as text: of the code, and of its variables.
#ifndef KOV_PLACE_H
#define KOV_PLACE_H

#include "symbols/symbols.h"

// Returns the path without the current folder in front.
const char *place_path(const char *path);
// Writes the function's name, or the address.
void place_function(struct symbol symbol, u64 address, char *text, size_t size);
// Writes the variable that the address is or lies in, "ready" or "table+0x10". Else, on a heap or a
// stack, writes the address and returns false.
bool place_variable(struct symbol symbol, u64 address, char *text, size_t size);
// Writes "file:line", with the path from the current folder if the file is below it. Else writes
// function+offset, or the address.
void place_line(struct symbol symbol, u64 address, char *text, size_t size);

#endif
