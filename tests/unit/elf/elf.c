// SPDX-License-Identifier: MIT
// Reading programs: a good one, and every way of damage. The test runs on a little-endian host, so
// it checks refusals with images whose fields read the same both ways, or are built
// in the host's order.
#include <elf/elf.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/user.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 0x3000

static u8 image[BYTES];

static void put(u64 offset, u64 value, u32 bytes)
{
    memcpy(image + offset, &value, bytes); // in the host's order, as elf_read reads
}

static void segment(u32 index, u32 flags, u64 offset, u64 address, u64 file, u64 memory)
{
    u64 at = 64 + 56 * (u64)index;
    put(at, 1, 4);
    put(at + 4, flags, 4);
    put(at + 8, offset, 8);
    put(at + 16, address, 8);
    put(at + 32, file, 8);
    put(at + 40, memory, 8);
}

static int good_image(void **state)
{
    (void)state;
    memset(image, 0, sizeof image);
    memcpy(image,
           "\x7f"
           "ELF\x02\x02\x01",
           7);
    put(16, 2, 2);          // executable
    put(18, 21, 2);         // PowerPC 64
    put(24, 0x10010010, 8); // entry: descriptor in the second segment
    put(32, 64, 8);
    put(54, 56, 2);
    put(56, 2, 2);
    segment(0, 5, 0x1000, 0x10000000, 0x800, 0x800);
    segment(1, 6, 0x2000, 0x10010000, 0x100, 0x5000);
    put(0x2010, 0x10000040, 8);
    put(0x2018, 0x10018000, 8);
    return 0;
}

static s64 read_it(struct elf_program *program)
{
    return elf_read(image, sizeof image, program);
}

static void a_good_program_is_understood(void **state)
{
    (void)state;
    struct elf_program program;
    assert_int_equal(read_it(&program), 0);
    assert_int_equal(program.segment_count, 2);
    assert_int_equal(program.segments[0].prot, PROT_R | PROT_X);
    assert_int_equal(program.segments[1].prot, PROT_R | PROT_W);
    assert_int_equal(program.segments[1].memory_bytes, 0x5000);
    assert_int_equal(program.pc, 0x10000040);
    assert_int_equal(program.toc, 0x10018000);
}

static void damage_is_refused(void **state)
{
    static const struct {
        u64 offset, value;
        u32 bytes;
    } damages[] = {
        {0, 0, 1},                         // magic
        {5, 1, 1},                         // the other byte order
        {16, 3, 2},                        // not an executable
        {18, 62, 2},                       // another machine
        {32, BYTES + 1, 8},                // segment headers beyond the end
        {32, UINT64_MAX - 8, 8},           //
        {54, 32, 2},                       // of another size
        {56, 0xffff, 2},                   // too many
        {56, 0, 2},                        // none
        {48, 2, 4},                        // of another ABI
        {24, 0x20000000, 8},               // entry nowhere
        {24, 0x100100f8, 8},               // entry at the very end of the file's part
        {64 + 4, 7, 4},                    // writable and executable
        {64 + 8, 0x1004, 8},               // not page-aligned in the file
        {64 + 16, 0x10000010, 8},          // nor in memory
        {64 + 16, 0, 8},                   // too low
        {64 + 16, 0xc000000000000000, 8},  // too high
        {64 + 32, 0x900, 8},               // more in the file than in memory
        {64 + 32, UINT64_MAX, 8},          //
        {64 + 40, UINT64_MAX, 8},          // no end
        {64 + 40, 0x10001, 8},             // into a page of the next one
        {64 + 16, 0x10020000, 8},          // not in order
        {120 + 16, 0x10000000, 8},         // where the first one is
        {120 + 16, USER_HEAP - 0x1000, 8}, // into the heap
    };
    for (u32 i = 0; i < ARRAY_SIZE(damages); i++) {
        struct elf_program program;
        good_image(state);
        put(damages[i].offset, damages[i].value, damages[i].bytes);
        assert_int_equal(read_it(&program), E_INVAL);
    }
}

static void the_stack_is_as_the_file_says(void **state)
{
    struct elf_program program;
    good_image(state);
    assert_int_equal(read_it(&program), 0);
    assert_int_equal(program.stack_bytes, 0);
    put(56, 3, 2);
    segment(2, 6, 0, 0, 0, 0x123000);
    put(64 + 2 * 56, 0x6474e551, 4);
    assert_int_equal(read_it(&program), 0);
    assert_int_equal(program.stack_bytes, 0x123000);
    assert_int_equal(program.segment_count, 2);
}

static void too_many_parts_are_refused(void **state)
{
    (void)state;
    struct elf_program program;
    for (u32 count = ELF_SEGMENTS_MAX; count <= ELF_SEGMENTS_MAX + 1; count++) {
        good_image(state);
        put(56, count, 2);
        for (u32 i = 2; i < count; i++)
            segment(i, 4, 0x1000, 0x10020000 + 0x1000 * (u64)i, 16, 16);
        assert_int_equal(read_it(&program), count == ELF_SEGMENTS_MAX ? 0 : E_INVAL);
    }
}

static void a_short_file_is_refused(void **state)
{
    (void)state;
    for (u64 bytes = 0; bytes < 0x2100; bytes++) {
        struct elf_program program;
        u8 *copy = malloc(bytes ? bytes : 1); // so that reading beyond it is seen
        memcpy(copy, image, bytes);
        assert_int_equal(elf_read(copy, bytes, &program), E_INVAL);
        free(copy);
    }
}

static void random_bytes_are_survived(void **state)
{
    (void)state;
    srand(3);
    for (u32 round = 0; round < 100000; round++) {
        struct elf_program program;
        if (round % 16 == 0)
            good_image(state);
        image[rand() % 192] = (u8)rand();
        s64 result = read_it(&program);
        assert_true(result == 0 || result == E_INVAL);
        for (u32 i = 0; result == 0 && i < program.segment_count; i++) {
            const struct elf_segment *segment = &program.segments[i];
            assert_true(segment->address >= USER_START);
            assert_true(segment->address + segment->memory_bytes <= USER_HEAP);
            assert_true(segment->offset + segment->file_bytes <= BYTES);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_good_program_is_understood, good_image),
        cmocka_unit_test_setup(damage_is_refused, good_image),
        cmocka_unit_test_setup(the_stack_is_as_the_file_says, good_image),
        cmocka_unit_test_setup(too_many_parts_are_refused, good_image),
        cmocka_unit_test_setup(a_short_file_is_refused, good_image),
        cmocka_unit_test_setup(random_bytes_are_survived, good_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
