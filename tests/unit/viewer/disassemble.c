// SPDX-License-Identifier: MIT
// Instructions as text, by what the architecture's manual says about them.
#include "unit.h"

#include "symbols/disassemble.h"

#include <string.h>

static void expect(u64 address, u32 word, const char *expected)
{
    char text[DISASSEMBLY_BYTES];
    disassemble(address, word, text);
    assert_string_equal(text, expected);
}

static void known_instructions_are_written_out(void **state)
{
    (void)state;
    expect(0, 0x7d201828, "lwarx   r9, 0, r3");
    expect(0, 0x7d20192d, "stwcx.  r9, 0, r3");
    expect(0, 0x4e800020, "blr");
    expect(0, 0xf821ff91, "stdu    r1, -0x70(r1)");
    disassemble_close();
    expect(0, 0x60000000, "nop");
}

static void unknown_instructions_are_numbers(void **state)
{
    (void)state;
    expect(0, 0x7fc04868, ".long   0x7fc04868"); // lbarx
    expect(0, 0, ".long   0x00000000");
    expect(0, 0x4c000224, ".long   0x4c000224"); // hrfid
}

static void immediate_numbers_have_their_sign(void **state)
{
    (void)state;
    expect(0, 0x3860ffff, "li      r3, -1");
    expect(0, 0x38638000, "addi    r3, r3, -32768");
    expect(0, 0x38637fff, "addi    r3, r3, 0x7fff");
    expect(0, 0x3c60c010, "lis     r3, -16368");
    expect(0, 0x2c03fffe, "cmpwi   r3, -2");
    expect(0, 0x2803fffe, "cmplwi  r3, 0xfffe"); // without sign
    expect(0, 0x6063ffff, "ori     r3, r3, 0xffff");
}

static void expect_target(u64 address, u32 word, u64 expected)
{
    u64 target = 0;
    assert_true(disassemble_target(address, word, &target));
    assert_int_equal(target, expected);
}

static void branches_tell_where_they_go(void **state)
{
    (void)state;
    u64 target;
    expect_target(0x100023e0, 0x4bffffe1, 0x100023c0);                 // bl
    expect_target(0xc0000000004057c4, 0x40c0017c, 0xc000000000405940); // bge-
    expect_target(0x10006000, 0x4082fff8, 0x10005ff8);                 // bne
    expect_target(0x1000, 0x49fffffc, 0x2000ffc);                      // b, as far as it goes
    expect_target(0x1000, 0x4800010a, 0x108);                          // ba
    expect_target(0x1000, 0x4bffff02, 0xffffffffffffff00);             // ba, from the end
    assert_false(disassemble_target(0x1000, 0x4e800020, &target));     // blr
    assert_false(disassemble_target(0x1000, 0x60000000, &target));
}

// The library must cope with anything: code may lie among data.
static void any_word_has_a_text(void **state)
{
    (void)state;
    u64 seed = 3;
    for (u64 round = 0; round < unit_fuzz_rounds(200000); round++) {
        char text[DISASSEMBLY_BYTES];
        u64 target;
        u32 word = (u32)unit_random(&seed);
        disassemble(unit_random(&seed), word, text);
        assert_true(strlen(text) > 1 && strlen(text) < DISASSEMBLY_BYTES);
        disassemble_target(unit_random(&seed), word, &target);
    }
    disassemble_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_instructions_are_written_out),
        cmocka_unit_test(unknown_instructions_are_numbers),
        cmocka_unit_test(immediate_numbers_have_their_sign),
        cmocka_unit_test(branches_tell_where_they_go),
        cmocka_unit_test(any_word_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
