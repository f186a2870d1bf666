// SPDX-License-Identifier: MIT
// Functions of addresses, for all machines. ELF files and DWARF are read by a thread of its own, so
// that nobody else waits for them: who asks is told what is known by now, and asks again. Any
// thread may call these functions. Memory is limited: binaries, and addresses that are remembered.
#ifndef KOV_RESOLVER_H
#define KOV_RESOLVER_H

#include <orrery/types.h>
#include <stdbool.h>

#define RESOLVER_IMAGES 16     // kernels, by their build ids
#define RESOLVER_BINARIES 1024 // kernels and programs
#define RESOLVER_ADDRESSES 98304

// What is known of an address. Texts are kept until resolver_end; equal ones are the same.
struct resolved {
    const char *function; // "kernel:panic", "fs:main"; NULL: not known
    const char *inlined;  // the function whose code stands there, if that is another one; or NULL
    const char *file;     // of the source; NULL: not known
    u32 line;
};

// Returns the number of a machine's kernel (program NULL), or of a program that runs on it, whose
// files are found as `kov report` does. 0: there are too many, nothing of it is known.
u32 resolver_binary(const u8 *build_id, size_t size, const char *program);
// Looks an address up. Returns false if that is not done yet: it will be, soon.
bool resolver_find(u32 binary, u64 address, struct resolved *found);
// Ends the thread and frees all.
void resolver_end(void);

#endif
