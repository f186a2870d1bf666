// SPDX-License-Identifier: MIT
// Translates instruction words into kinds that the unit counts.
#include "decode.h"

// Extended opcodes of primary opcode 31.
static const u16 loads[] = {
    7,   39,  71,  103, 359,           // lvebx lvehx lvewx lvx lvxl
    12,  76,  268, 332, 364, 524, 588, // lxsiwzx lxsiwax lxvx lxvdsx lxvwsx lxsspx lxsdx
    780, 812, 844, 876, 781, 813,      // lxvw4x lxvh8x lxvd2x lxvb16x lxsibzx lxsihzx
    269, 301,                          // lxvl lxvll
    21,  53,  23,  55,  87,  119,      // ldx ldux lwzx lwzux lbzx lbzux
    279, 311, 341, 373, 343, 375,      // lhzx lhzux lwax lwaux lhax lhaux
    532, 534, 790, 533, 597,           // ldbrx lwbrx lhbrx lswx lswi
    535, 567, 599, 631, 791, 855, 887, // lfsx lfsux lfdx lfdux lfdpx lfiwax lfiwzx
    885, 789, 821, 853,                // ldcix lwzcix lhzcix lbzcix
    582, 614,                          // lwat ldat
};
static const u16 larx[] = {20, 52, 84, 116, 276}; // lwarx lbarx ldarx lharx lqarx
static const u16 stores[] = {
    135,  167, 199, 231,  487,       // stvebx stvehx stvewx stvx stvxl
    140,  396, 652, 716,             // stxsiwx stxvx stxsspx stxsdx
    908,  940, 972, 1004, 909, 941,  // stxvw4x stxvh8x stxvd2x stxvb16x stxsibx stxsihx
    397,  429,                       // stxvl stxvll
    149,  181, 151, 183,  215, 247,  // stdx stdux stwx stwux stbx stbux
    407,  439, 660, 662,  918,       // sthx sthux stdbrx stwbrx sthbrx
    661,  725, 663, 695,  727, 759,  // stswx stswi stfsx stfsux stfdx stfdux
    919,  983, 981, 949,  917, 1013, // stfdpx stfiwx stbcix sthcix stwcix stdcix
    710,  742, 582, 614,             // stwat stdat lwat ldat
    1014,                            // dcbz
};
static const u16 stcx[] = {150, 182, 214, 694, 726};    // stwcx. stqcx. stdcx. stbcx. sthcx.
static const u16 other_faults[] = {4, 68, 54, 86, 982}; // tw td dcbst dcbf icbi

static bool contains(const u16 *list, size_t length, u32 opcode)
{
    for (size_t i = 0; i < length; i++) {
        if (list[i] == opcode)
            return true;
    }
    return false;
}

#define CONTAINS(list, opcode) contains(list, ARRAY_SIZE(list), opcode)

static u32 kinds_31(u32 opcode)
{
    u32 kinds = 0;
    if (CONTAINS(loads, opcode))
        kinds |= INSN_LOAD | INSN_FAULTS;
    if (CONTAINS(stores, opcode))
        kinds |= INSN_STORE | INSN_FAULTS;
    if (CONTAINS(larx, opcode))
        kinds |= INSN_LOAD | INSN_LARX | INSN_FAULTS;
    if (CONTAINS(stcx, opcode))
        kinds |= INSN_STORE | INSN_STCX | INSN_FAULTS;
    if (CONTAINS(other_faults, opcode))
        kinds |= INSN_FAULTS;
    if (opcode == 306)
        kinds |= INSN_TLBIE;
    if (opcode == 274)
        kinds |= INSN_TLBIEL;
    return kinds;
}

// Primary opcodes 32 and above: D, DS and DQ forms.
static u32 kinds_displacement(u32 primary, u32 word)
{
    static const u32 load = INSN_LOAD | INSN_FAULTS, store = INSN_STORE | INSN_FAULTS;
    switch (primary) {
    case 36: // stw stwu stb stbu sth sthu stmw
    case 37:
    case 38:
    case 39:
    case 44:
    case 45:
    case 47:
    case 52: // stfs stfsu stfd stfdu
    case 53:
    case 54:
    case 55:
    case 62: // std stdu stq
        return store;
    case 59: // arithmetic
    case 60:
    case 63:
        return 0;
    case 61: // stfdp lxv stxsd stxssp stxv
        return (word & 7) == 1 ? load : store;
    default:
        return load;
    }
}

static u32 branch_hint(u32 bo)
{
    u32 hint = 0;
    if ((bo & 0x14) == 0x04) // on a CR bit
        hint = bo & 3;
    else if ((bo & 0x14) == 0x10) // on CTR
        hint = (bo >> 2 & 2) | (bo & 1);
    return hint == 1 ? 0 : hint; // 1 is reserved
}

static void decode_branch(struct insn *insn, u32 word)
{
    u32 bo = word >> 21 & 31;
    insn->kinds = INSN_JUMP;
    if ((bo & 0x14) == 0x14) // always
        return;
    insn->kinds |= INSN_BRANCH;
    insn->hint = branch_hint(bo);
}

static void decode_19(struct insn *insn, u32 word)
{
    switch (word >> 1 & 0x3ff) {
    case 16: // bclr bcctr bctar
    case 528:
    case 560:
        decode_branch(insn, word);
        insn->target = INSN_TARGET_UNKNOWN;
        break;
    case 18: // rfid rfscv hrfid
    case 82:
    case 274:
        insn->kinds = INSN_RETURN;
        break;
    default:
        break;
    }
}

struct insn decode(u32 word, u64 pc)
{
    struct insn insn = {0};
    u32 primary = word >> 26;
    if (primary >= 32) {
        insn.kinds = kinds_displacement(primary, word);
    } else if (primary == 31) {
        insn.kinds = kinds_31(word >> 1 & 0x3ff);
        insn.a = word >> 11 & 31;
        insn.b = word >> 21 & 31;
    } else if (primary == 16) {
        decode_branch(&insn, word);
        insn.target = (u64)(s64)(int16_t)(word & 0xfffc) + (word & 2 ? 0 : pc);
    } else if (primary == 18) {
        insn.kinds = INSN_JUMP;
    } else if (primary == 19) {
        decode_19(&insn, word);
    } else if (is_command(word)) {
        insn.kinds = INSN_COMMAND;
        insn.a = word & 0xff;
        insn.b = word >> 16 & 31;
    } else if (primary == 2 || primary == 3) { // tdi twi
        insn.kinds = INSN_FAULTS;
    }
    return insn;
}
