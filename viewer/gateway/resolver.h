// SPDX-License-Identifier: MIT
// Functions of addresses, for all machines. ELF files and DWARF are read by a thread of its own, so
// that nobody else waits for them: who asks is told what is known by now, and asks again. Any
// thread may call these functions. Memory is limited. Each machine has room of its own, so that one
// that tells many addresses or programs takes nothing from another.
#ifndef KOV_RESOLVER_H
#define KOV_RESOLVER_H

#include <orrery/types.h>
#include <stdbool.h>

#define RESOLVER_MACHINES 8      // of one gateway: MACHINES
#define RESOLVER_IMAGES 16       // kernels whose files are open; the last used ones
#define RESOLVER_BINARIES 1024   // kernels and programs of a machine
#define RESOLVER_ADDRESSES 98304 // of a machine, that are remembered: about 8 MB
#define RESOLVER_FULL UINT32_MAX // a binary for which a machine has no more room

// What is known of an address. Texts are kept until resolver_end; equal ones are the same.
struct resolved {
    const char *binary;   // "kernel" or the program; NULL: not known
    const char *function; // "kernel:panic", "fs:main"; NULL: not known
    const char *inlined;  // the function whose code stands there, if that is another one; or NULL
    const char *file;     // of the source; NULL: not known
    u32 line;
    const char *why; // why no function of the whole binary is known; NULL: some are
};

// Returns the number of the kernel (program NULL) of a machine below RESOLVER_MACHINES, or of a
// program that runs on it, whose files are found as `kov report` does. A file of another build
// gives no names. RESOLVER_FULL: the machine has had too many.
u32 resolver_binary(u32 machine, const u8 *build_id, size_t size, const char *program);
// Looks an address up; binary 0 is none. Returns false if that is not done yet: it will be, soon.
bool resolver_find(u32 binary, u64 address, struct resolved *found);
// Ends the thread and frees all. Nothing is looked up any more.
void resolver_end(void);

#endif
