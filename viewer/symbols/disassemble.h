// SPDX-License-Identifier: MIT
// One instruction of a 64-bit PowerPC, big endian, as text (capstone).
#ifndef KOV_DISASSEMBLE_H
#define KOV_DISASSEMBLE_H

#include <orrery/types.h>

#define DISASSEMBLY_BYTES 200

// Writes "lwarx   r9, 0, r3". What the library does not know becomes ".long   0x4c000024".
void disassemble(u64 address, u32 word, char text[DISASSEMBLY_BYTES]);
// Frees what this thread has opened for it.
void disassemble_close(void);

// Finds where a branch goes, if its target is in the instruction itself. Returns false for all
// other instructions.
bool disassemble_target(u64 address, u32 word, u64 *target);

#endif
