// SPDX-License-Identifier: MIT
// What the coverage plugin shares: a file with the host, a page and an instruction with the guest.
#ifndef FUZZ_PLUGIN_MAP_H
#define FUZZ_PLUGIN_MAP_H

#include <orrery/types.h>

// The kernel's image lies within the first 16 MB behind 0xC000000000000000. Real mode is entered by
// exceptions alone, below COVERAGE_REAL_BYTES, where no process can have memory.
#define COVERAGE_BYTES 0x1000000UL
#define COVERAGE_INSTRUCTIONS (COVERAGE_BYTES / 4)
#define COVERAGE_REAL_BYTES 0x8000UL

#define COVERAGE_MAP_MAGIC 0x4f52434f56303031UL // "ORCOV001", of the host's byte order
struct coverage_map {
    u64 magic;
    u64 instructions; // of the map
    u64 count;        // of them executed
    u64 reserved[509];
    u8 executed[COVERAGE_INSTRUCTIONS]; // by address
};

// A guest's page, big endian: this, then the number of instructions executed so far.
#define COVERAGE_PAGE_MAGIC 0x4f52434f56504147UL // "ORCOVPAG"
// twi 0,r0,0x4e00: never traps, in any mode. Asks the plugin to look for the guest's page.
#define COVERAGE_FIND 0x0c004e00

#endif
