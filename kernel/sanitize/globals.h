// SPDX-License-Identifier: MIT
// Global variables, as the compiler tells them.
#ifndef KERNEL_SANITIZE_GLOBALS_H
#define KERNEL_SANITIZE_GLOBALS_H

#include <orrery/types.h>

// The compiler's record (version 8 of its interface).
struct global {
    u64 start;
    u64 bytes;
    u64 bytes_with_redzone;
    const char *name;
    const char *file;
    u64 has_dynamic_initialiser;
    const struct global_location *location; // NULL: unknown
    u64 odr_indicator;
};

struct global_location {
    const char *file;
    s32 line, column;
};

// Runs the constructors that the compiler made, by which each file tells its globals. Real mode,
// once.
void globals_register(void);
// Returns the variable in whose redzone or bytes an address lies, or NULL.
const struct global *globals_find(u64 address);

#endif
