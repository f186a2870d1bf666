// SPDX-License-Identifier: MIT
// Instructions by kind. The words and their names are the GNU assembler's and disassembler's,
// not ours.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode.h"

struct row {
    u32 word;
    const char *name;
};

static const struct row larx_words[] = {
    {0x7f1af068, "lbarx"}, {0x7c9940a8, "ldarx"}, {0x7cd950e8, "lharx"},
    {0x7f508a28, "lqarx"}, {0x7dc66828, "lwarx"},
};

static const struct row stcx_words[] = {
    {0x7f77356d, "stbcx."}, {0x7c66a1ad, "stdcx."}, {0x7c8285ad, "sthcx."},
    {0x7c85316d, "stqcx."}, {0x7dcfd92d, "stwcx."},
};

static const struct row load_words[] = {
    {0x8aa57c00, "lbz"},     {0x7cff4eaa, "lbzcix"},  {0x8c678bc0, "lbzu"},
    {0x7c3108ee, "lbzux"},   {0x7fc858ae, "lbzx"},    {0xea03df80, "ld"},
    {0x7cf9ec28, "ldbrx"},   {0x7dfe7eea, "ldcix"},   {0xe8c4a301, "ldu"},
    {0x7d9df06a, "ldux"},    {0x7d43c82a, "ldx"},     {0xc84107c0, "lfd"},
    {0xcf41f880, "lfdu"},    {0x7ccfccee, "lfdux"},   {0x7ddafcae, "lfdx"},
    {0x7e02beae, "lfiwax"},  {0x7c75feee, "lfiwzx"},  {0xc1e463c0, "lfs"},
    {0xc52e8980, "lfsu"},    {0x7ea88c6e, "lfsux"},   {0x7c9b9c2e, "lfsx"},
    {0xa85aaec0, "lha"},     {0xaece3e00, "lhau"},    {0x7d1522ee, "lhaux"},
    {0x7c2452ae, "lhax"},    {0x7c1a862c, "lhbrx"},   {0xa34a7840, "lhz"},
    {0x7ef9d66a, "lhzcix"},  {0xa7192680, "lhzu"},    {0x7ff0b26e, "lhzux"},
    {0x7ddf022e, "lhzx"},    {0xbae30b00, "lmw"},     {0xe19b3240, "lq"},
    {0x7c1124aa, "lswi"},    {0x7fa9fc2a, "lswx"},    {0x7f8de80e, "lvebx"},
    {0x7fd6c84e, "lvehx"},   {0x7ffd408e, "lvewx"},   {0x7da718ce, "lvx"},
    {0x7d709ace, "lvxl"},    {0xebcb4e02, "lwa"},     {0x7e53aaea, "lwaux"},
    {0x7dbe32aa, "lwax"},    {0x7e05742c, "lwbrx"},   {0x80665a40, "lwz"},
    {0x7d8dee2a, "lwzcix"},  {0x8594c0c0, "lwzu"},    {0x7f6c586e, "lwzux"},
    {0x7dcd002e, "lwzx"},    {0xe7de7142, "lxsd"},    {0x7cd56498, "lxsdx"},
    {0x7c87f61a, "lxsibzx"}, {0x7fd4d65a, "lxsihzx"}, {0x7ff15098, "lxsiwax"},
    {0x7ea3a818, "lxsiwzx"}, {0xe7d74183, "lxssp"},   {0x7fff5418, "lxsspx"},
    {0xf54fccc1, "lxv"},     {0x7ca67ed8, "lxvb16x"}, {0x7ffd3698, "lxvd2x"},
    {0x7fe14298, "lxvdsx"},  {0x7fddd658, "lxvh8x"},  {0x7e8cb21a, "lxvl"},
    {0x7e79425a, "lxvll"},   {0x7ed6be18, "lxvw4x"},  {0x7dd012d8, "lxvwsx"},
    {0x7c017218, "lxvx"},
};

static const struct row both_words[] = {
    {0x7d0524cc, "ldat"},
    {0x7c39d48c, "lwat"},
};

static const struct row store_words[] = {
    {0x98cd22c0, "stb"},      {0x7ee6bfaa, "stbcix"},  {0x9c824800, "stbu"},
    {0x7cd431ee, "stbux"},    {0x7e1409ae, "stbx"},    {0xf91aeb80, "std"},
    {0x7d8d5dcc, "stdat"},    {0x7cc62d28, "stdbrx"},  {0x7d920fea, "stdcix"},
    {0xfa116e81, "stdu"},     {0x7f2b016a, "stdux"},   {0x7d12f92a, "stdx"},
    {0xda55f600, "stfd"},     {0xdf3f70c0, "stfdu"},   {0x7f2fa5ee, "stfdux"},
    {0x7dad2dae, "stfdx"},    {0x7cdfe7ae, "stfiwx"},  {0xd2996080, "stfs"},
    {0xd64b8d80, "stfsu"},    {0x7eec856e, "stfsux"},  {0x7cb1752e, "stfsx"},
    {0xb22fd980, "sth"},      {0x7c82a72c, "sthbrx"},  {0x7dc3d76a, "sthcix"},
    {0xb428a540, "sthu"},     {0x7eb3cb6e, "sthux"},   {0x7dffeb2e, "sthx"},
    {0xbccc6380, "stmw"},     {0xf85d74c6, "stq"},     {0x7f2a35aa, "stswi"},
    {0x7efffd2a, "stswx"},    {0x7ce5b90e, "stvebx"},  {0x7d4d994e, "stvehx"},
    {0x7dd2718e, "stvewx"},   {0x7f1f91ce, "stvx"},    {0x7ec4cbce, "stvxl"},
    {0x917e2d00, "stw"},      {0x7f442d8c, "stwat"},   {0x7ed5ad2c, "stwbrx"},
    {0x7f5c372a, "stwcix"},   {0x9465f800, "stwu"},    {0x7e2a416e, "stwux"},
    {0x7ca8812e, "stwx"},     {0xf76a1cc2, "stxsd"},   {0x7c752598, "stxsdx"},
    {0x7f74af1a, "stxsibx"},  {0x7ef4af5a, "stxsihx"}, {0x7db76118, "stxsiwx"},
    {0xf4c65383, "stxssp"},   {0x7c663d18, "stxsspx"}, {0xf6e58a45, "stxv"},
    {0x7f31c7d8, "stxvb16x"}, {0x7e27d798, "stxvd2x"}, {0x7fd58f58, "stxvh8x"},
    {0x7e5aeb1a, "stxvl"},    {0x7f636b5a, "stxvll"},  {0x7f2b0f18, "stxvw4x"},
    {0x7dec1318, "stxvx"},
};

static const struct row trap_words[] = {
    {0x7c853088, "tdeq"},   {0x08894f95, "tdeqi"},  {0x099fbd81, "tdgei"},  {0x091d6686, "tdgti"},
    {0x0bd31c80, "tdi"},    {0x0a8b55c2, "tdlei"},  {0x08a2fbc0, "tdlgei"}, {0x08258002, "tdlgti"},
    {0x08db8512, "tdllei"}, {0x7c55c888, "tdllt"},  {0x084cea8a, "tdllti"}, {0x0a0c4a11, "tdlti"},
    {0x0b12c2c9, "tdnei"},  {0x7e335808, "tw"},     {0x7c853008, "tweq"},   {0x0c88abc0, "tweqi"},
    {0x0d9e4d8e, "twgei"},  {0x0d1a1488, "twgti"},  {0x0db77480, "twi"},    {0x0e8ce318, "twlei"},
    {0x0ca1c083, "twlgei"}, {0x0c327f86, "twlgti"}, {0x0ccd0b08, "twllei"}, {0x0c517a4b, "twllti"},
    {0x0e156301, "twlti"},  {0x0f10bd01, "twnei"},
};

static const struct row plain_words[] = {
    {0x7d25ba14, "add"},     {0x3bc488c0, "addi"},   {0x31ecbc40, "addic"},  {0x3f4b1a80, "addis"},
    {0x4c020004, "addpcis"}, {0x7eb6d838, "and"},    {0x704b5c40, "andi."},  {0x2ef34340, "cmpdi"},
    {0x4c020202, "crand"},   {0x7e85322c, "dcbt"},   {0x7de343d2, "divd"},   {0xfcc39dba, "fmadd"},
    {0x7d0b701f, "isel"},    {0x7dec600c, "lvsl"},   {0x7f65904c, "lvsr"},   {0x11af4cf3, "maddld"},
    {0x7eda52a6, "mfspr"},   {0x7c853120, "mtcrf"},  {0x7ec543a6, "mtspr"},  {0x7d8489d2, "mulld"},
    {0x1f78e1c0, "mulli"},   {0x7eac88f8, "nor"},    {0x7d6a7378, "or"},     {0x636e5140, "ori"},
    {0x65deb040, "oris"},    {0x79423140, "rldicl"}, {0x78c2344c, "rldimi"}, {0x50e7d0c0, "rlwimi"},
    {0x54e7d540, "rlwinm"},  {0x7da74036, "sld"},    {0x7ff39e34, "srad"},   {0x7c93d050, "subf"},
    {0x2289e5c0, "subfic"},  {0x1277092b, "vperm"},  {0x7fb9f278, "xor"},    {0x69e96980, "xori"},
    {0xf373ec96, "xxlor"},
};

static void expect(const struct row *rows, size_t count, u32 kinds)
{
    for (size_t i = 0; i < count; i++) {
        u32 found = decode(rows[i].word, 0x1000).kinds;
        if (found != kinds)
            fail_msg("%s (%#x): expected kinds %#x, found %#x", rows[i].name, rows[i].word, kinds,
                     found);
    }
}

#define EXPECT(rows, kinds) expect(rows, ARRAY_SIZE(rows), kinds)

static void loads_and_stores_of_all_forms_are_told_apart(void **state)
{
    (void)state;
    EXPECT(load_words, INSN_LOAD | INSN_FAULTS);
    EXPECT(store_words, INSN_STORE | INSN_FAULTS);
    EXPECT(both_words, INSN_LOAD | INSN_STORE | INSN_FAULTS);
}

static void reservations_of_all_sizes_are_found(void **state)
{
    (void)state;
    EXPECT(larx_words, INSN_LOAD | INSN_LARX | INSN_FAULTS);
    EXPECT(stcx_words, INSN_STORE | INSN_STCX | INSN_FAULTS);
}

static void what_neither_branches_nor_accesses_memory_is_nothing(void **state)
{
    (void)state;
    EXPECT(plain_words, 0);
}

static void traps_may_not_complete(void **state)
{
    (void)state;
    EXPECT(trap_words, INSN_FAULTS);
}

static void invalidations_name_their_registers(void **state)
{
    (void)state;
    struct insn tlbie = decode(0x7c803264, 0), tlbiel = decode(0x7c803224, 0); // rs 4, rb 6
    assert_int_equal(tlbie.kinds, INSN_TLBIE);
    assert_int_equal(tlbiel.kinds, INSN_TLBIEL);
    assert_int_equal(tlbie.a, 6);
    assert_int_equal(tlbie.b, 4);
}

// `bc BO,2,.+0x10` and the same as bclr, as the disassembler shows BO.
static void conditions_and_hints_of_branches_follow_bo(void **state)
{
    // +: likely, -: unlikely, ' ': conditional without a hint, a: always
    static const char bo_means[] = "      -+      -+    aaaa-+-+aaaa";
    (void)state;
    for (u32 bo = 0; bo < 32; bo++) {
        char means = bo_means[bo];
        u32 kinds = means == 'a' ? INSN_JUMP : INSN_JUMP | INSN_BRANCH;
        u32 hint = means == '+' ? 3 : means == '-' ? 2 : 0;
        const struct insn found[] = {decode(0x40020010 | bo << 21, 0x1000),
                                     decode(0x4c020020 | bo << 21, 0x1000),
                                     decode(0x4c020420 | bo << 21, 0x1000)};
        for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
            assert_int_equal(found[i].kinds, kinds);
            assert_int_equal(found[i].hint, hint);
        }
    }
}

static void targets_are_relative_or_absolute(void **state)
{
    (void)state;
    assert_int_equal(decode(0x4082fff0, 0xc000000000001000).target, 0xc000000000000ff0); // bne .-16
    assert_int_equal(decode(0x40820010, 0x1000).target, 0x1010);                         // bne .+16
    assert_int_equal(decode(0x40820012, 0x1000).target, 0x10);                // bnea 0x10
    assert_int_equal(decode(0x4c820020, 0x1000).target, INSN_TARGET_UNKNOWN); // bnelr
    assert_int_equal(decode(0x48000010, 0x1000).kinds, INSN_JUMP);            // b .+16
}

static void interrupts_return_by_three_instructions(void **state)
{
    (void)state;
    assert_int_equal(decode(0x4c000024, 0).kinds, INSN_RETURN); // rfid
    assert_int_equal(decode(0x4c000224, 0).kinds, INSN_RETURN); // hrfid
    assert_int_equal(decode(0x4c0000a4, 0).kinds, INSN_RETURN); // rfscv
}

static void commands_are_traps_that_never_trap(void **state)
{
    (void)state;
    struct insn insn = decode(0x0c094f04, 0); // twi 0,r9,0x4f04
    assert_int_equal(insn.kinds, INSN_COMMAND);
    assert_int_equal(insn.a, 4);
    assert_int_equal(insn.b, 9);
    assert_int_equal(decode(0x0c294f04, 0).kinds, INSN_FAULTS); // twi 1,r9,0x4f04
    assert_int_equal(decode(0x0c095004, 0).kinds, INSN_FAULTS); // twi 0,r9,0x5004
    assert_int_equal(decode(0x08094f04, 0).kinds, INSN_FAULTS); // tdi 0,r9,0x4f04
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores_of_all_forms_are_told_apart),
        cmocka_unit_test(reservations_of_all_sizes_are_found),
        cmocka_unit_test(what_neither_branches_nor_accesses_memory_is_nothing),
        cmocka_unit_test(traps_may_not_complete),
        cmocka_unit_test(invalidations_name_their_registers),
        cmocka_unit_test(conditions_and_hints_of_branches_follow_bo),
        cmocka_unit_test(targets_are_relative_or_absolute),
        cmocka_unit_test(interrupts_return_by_three_instructions),
        cmocka_unit_test(commands_are_traps_that_never_trap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
