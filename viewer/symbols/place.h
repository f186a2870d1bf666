// SPDX-License-Identifier: MIT
// Places in the code as text.
#ifndef KOV_PLACE_H
#define KOV_PLACE_H

#include "symbols/symbols.h"

// Without the present folder in front.
const char *place_path(const char *path);
// The function's name, or the address.
void place_function(struct symbol symbol, u64 address, char *text, size_t size);
// "file:line", the file from the present folder if it is below; else function+offset, or the
// address.
void place_line(struct symbol symbol, u64 address, char *text, size_t size);

#endif
