// SPDX-License-Identifier: MIT
// One instruction of a 64-bit PowerPC, big endian, as text (capstone).
#include "symbols/disassemble.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPCODE_BRANCH_CONDITIONAL 16
#define OPCODE_BRANCH 18
#define ABSOLUTE_BIT 2u

// The thread's own, since a handle of the library is for one thread only. Opened when first needed.
static _Thread_local csh library;
static _Thread_local bool tried, usable;

// Writes the sign of a negative number. The library leaves it out: 0xffff for -1.
static void mend_number(u32 word, char text[DISASSEMBLY_BYTES])
{
    u32 opcode = word >> 26;
    // mulli, subfic, cmpwi, addic, addi, addis and the like: the low half is a signed number
    bool is_signed = opcode == 7 || opcode == 8 || (opcode >= 11 && opcode <= 15);
    char *last = strrchr(text, ',');
    if (!is_signed || (word & 0x8000u) == 0 || last == NULL)
        return;
    snprintf(last, DISASSEMBLY_BYTES - (size_t)(last - text), ", %d",
             (int)(word & 0xffffu) - 0x10000);
}

void disassemble(u64 address, u32 word, char text[DISASSEMBLY_BYTES])
{
    const u8 bytes[] = {(u8)(word >> 24), (u8)(word >> 16), (u8)(word >> 8), (u8)word};
    cs_insn *instruction = NULL;
    if (!tried)
        usable = cs_open(CS_ARCH_PPC, CS_MODE_64 | CS_MODE_BIG_ENDIAN, &library) == CS_ERR_OK;
    tried = true;
    if (usable && cs_disasm(library, bytes, sizeof(bytes), address, 1, &instruction) == 1) {
        bool operands = instruction->op_str[0] != '\0';
        snprintf(text, DISASSEMBLY_BYTES, operands ? "%-7s %s" : "%s%s", instruction->mnemonic,
                 instruction->op_str);
        mend_number(word, text);
        cs_free(instruction, 1);
        return;
    }
    snprintf(text, DISASSEMBLY_BYTES, "%-7s 0x%08" PRIx32, ".long", word);
}

void disassemble_close(void)
{
    if (usable)
        cs_close(&library);
    tried = usable = false;
}

// Returns the low `bits` bits of a word, without the last two, as a signed displacement.
static s64 displacement(u32 word, u32 bits)
{
    u64 sign = (u64)1 << (bits - 1);
    u64 value = word & ((sign << 1) - 1) & ~(u64)3;
    return (s64)((value ^ sign) - sign);
}

bool disassemble_target(u64 address, u32 word, u64 *target)
{
    u32 opcode = word >> 26;
    if (opcode != OPCODE_BRANCH && opcode != OPCODE_BRANCH_CONDITIONAL)
        return false;
    u64 distance = (u64)displacement(word, opcode == OPCODE_BRANCH ? 26 : 16);
    *target = (word & ABSOLUTE_BIT) != 0 ? distance : address + distance;
    return true;
}
