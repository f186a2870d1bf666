// SPDX-License-Identifier: MIT
// ELF files: good ones are read, all others refused, and nothing outside of the file is touched.
// The numbers lie in the host's byte order here, as they lie in the kernel's there.
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <proc/elf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PARTS 2
#define SEGMENTS 4

struct file {
    u8 ident[16];
    u16 type, machine;
    u32 version;
    u64 entry, program_offset, section_offset;
    u32 flags;
    u16 header_bytes, program_bytes, program_count, section_bytes, section_count, names;
    struct {
        u32 type, flags;
        u64 offset, address, physical, file_bytes, memory_bytes, align;
    } parts[PARTS];
    u8 contents[256];
};

static struct elf_segment segments[SEGMENTS];

static struct file good(void)
{
    struct file file = {
        .ident = {0x7f, 'E', 'L', 'F', 2, 2, 1},
        .type = 2,
        .machine = 21,
        .version = 1,
        .entry = USER_IMAGE + 0x2000,
        .program_offset = offsetof(struct file, parts),
        .flags = 1,
        .header_bytes = 64,
        .program_bytes = 56,
        .program_count = PARTS,
        .parts = {{1, 5, 0, USER_IMAGE, 0, sizeof(struct file), sizeof(struct file), 4096},
                  {1, 6, 64, USER_IMAGE + 0x2000, 0, 128, 0x3000, 4096}},
    };
    return file;
}

// From memory of exactly its size, so that any read outside is found.
static s64 read_file(const struct file *file, u64 bytes, struct elf_program *program)
{
    void *copy = malloc(bytes);
    memcpy(copy, file, bytes);
    *program = (struct elf_program){.segments = segments, .max = SEGMENTS};
    s64 result = elf_read(copy, bytes, program);
    free(copy);
    return result;
}

static void a_good_file_is_read(void **state)
{
    (void)state;
    struct file file = good();
    struct elf_program program;
    assert_int_equal(read_file(&file, sizeof(file), &program), 0);
    assert_int_equal(program.count, 2);
    assert_int_equal(program.entry, USER_IMAGE + 0x2000);
    assert_int_equal(segments[0].prot, PROT_R | PROT_X);
    assert_int_equal(segments[1].prot, PROT_R | PROT_W);
    assert_int_equal(segments[1].memory_bytes, 0x3000);
    assert_int_equal(segments[1].file_bytes, 128);
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct file file = good();                                                                 \
        struct elf_program program;                                                                \
        change;                                                                                    \
        if (read_file(&file, sizeof(file), &program) != E_INVAL)                                   \
            fail_msg("taken: %s", #change);                                                        \
    } while (0)

static void others_are_refused(void **state)
{
    (void)state;
    REFUSED(file.ident[1] = 'e');
    REFUSED(file.ident[4] = 1);
    REFUSED(file.ident[5] = 1);
    REFUSED(file.machine = 20);
    REFUSED(file.type = 3);
    REFUSED(file.flags = 2);
    REFUSED(file.program_count = 0);
    REFUSED(file.program_count = 0xffff);
    REFUSED(file.program_offset = UINT64_MAX);
    REFUSED(file.program_offset = sizeof(file) - 56);
    REFUSED(file.program_bytes = 32);
    REFUSED(file.parts[0].offset = UINT64_MAX);
    REFUSED(file.parts[0].file_bytes = UINT64_MAX);
    REFUSED(file.parts[0].file_bytes = sizeof(file) + 1;
            file.parts[0].memory_bytes = sizeof(file) + 1);
    REFUSED(file.parts[1].memory_bytes = 64);
    REFUSED(file.parts[1].memory_bytes = UINT64_MAX);
    REFUSED(file.parts[0].flags = 7);
    REFUSED(file.parts[0].address = 0);
    REFUSED(file.parts[1].address = USER_WINDOW);
    REFUSED(file.parts[1].address = 0xC000000000000000);
    REFUSED(file.parts[1].address = USER_IMAGE + 0x100);
    REFUSED(file.parts[1].address = USER_IMAGE - 0x10000);
}

static void any_part_of_a_file_is_safe(void **state)
{
    (void)state;
    struct file file = good();
    struct elf_program program;
    for (u64 bytes = 1; bytes < sizeof(file); bytes++)
        assert_int_equal(read_file(&file, bytes, &program), E_INVAL);
}

static void noise_is_safe(void **state)
{
    (void)state;
    srand(7);
    for (u32 round = 0; round < 50000; round++) {
        struct file file = good();
        struct elf_program program;
        for (u32 i = 0; i < 3; i++)
            ((u8 *)&file)[(u32)rand() % offsetof(struct file, contents)] = (u8)rand();
        if (read_file(&file, sizeof(file), &program) == 0) {
            for (u32 i = 0; i < program.count; i++) {
                assert_true(segments[i].address >= USER_START);
                assert_true(segments[i].address + segments[i].memory_bytes <= USER_WINDOW);
                assert_true(segments[i].offset + segments[i].file_bytes <= sizeof(file));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_read),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(any_part_of_a_file_is_safe),
        cmocka_unit_test(noise_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
