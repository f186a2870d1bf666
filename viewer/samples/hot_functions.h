// SPDX-License-Identifier: MIT
// Finds the functions of kernel and programs that have samples, hottest first.
#ifndef KOV_HOT_FUNCTIONS_H
#define KOV_HOT_FUNCTIONS_H

#include "samples/sample_choice.h"
#include "symbols/code.h"
#include "symbols/programs.h"

// One address and its samples. They stand for more or fewer events, since thresholds change, so
// parts are those of the events.
struct hot_place {
    struct symbols *symbols;
    const char *binary;
    u64 address, samples, events;
};

struct hot_function {
    struct symbols *symbols;
    const char *binary; // "kernel", or the program's name
    const char *name;   // valid as long as the symbols
    struct code_range range;
    u64 samples, events;
    size_t first, count; // its places
};

struct hot_functions {
    struct hot_place *places; // sorted by symbols, then address
    size_t place_count, place_capacity;
    struct hot_function *functions; // most events first
    size_t count, capacity;
    u64 samples, events; // of all that were chosen
    u64 unknown;         // the part of them where no function is known
};

// Finds the functions. `kernel` has the kernel's symbols and may be NULL. The result refers to the
// recording and to symbols.
void hot_functions_find(const struct recording *recording, const struct sample_choice *choice,
                        struct symbols *kernel, struct programs *programs,
                        struct hot_functions *hot);
// Returns whether text names the function: "name" or "name (file.c)", with or without "BINARY:"
// before it.
bool hot_function_is(const struct hot_function *function, const char *text);
void hot_functions_free(struct hot_functions *hot);

#endif
