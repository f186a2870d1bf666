// SPDX-License-Identifier: MIT
// The initial file system: files are found by path;
// damaged archives are refused without a look beyond their end.
#include <kernel/initrd.h>
#include <kernel/memory.h>
#include <orrery/errors.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARCHIVE_MAX 4096
#define HEADER_BYTES 110

static char archive[ARCHIVE_MAX];
static u64 used;

static void put_record(const char *name, const char *contents, u64 bytes)
{
    char header[HEADER_BYTES + 1];
    snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
             1, 0100644, 0, 0, 1, 0, (u32)bytes, 0, 0, 0, 0, (u32)strlen(name) + 1, 0);
    memcpy(archive + used, header, HEADER_BYTES);
    strcpy(archive + used + HEADER_BYTES, name);
    used = ALIGN_UP(used + HEADER_BYTES + strlen(name) + 1, 4UL);
    memcpy(archive + used, contents, bytes);
    used = ALIGN_UP(used + bytes, 4UL);
}

static void make_archive(void)
{
    memset(archive, 0, sizeof(archive));
    used = 0;
    put_record(".", "", 0);
    put_record("bin/first", "first program", 13);
    put_record("./etc/text", "x", 1);
    put_record("bin/empty", "", 0);
    put_record("TRAILER!!!", "", 0);
}

// The first bytes of the archive, in memory of exactly that size.
static s64 find_in(u64 bytes, const char *path, char *contents)
{
    char *copy = malloc(bytes);
    const void *found;
    u64 found_bytes;
    memcpy(copy, archive, bytes);
    initrd_init(virt_to_phys(copy), bytes);
    s64 result = initrd_find(path, &found, &found_bytes);
    if (result == 0) {
        assert_true((const char *)found >= copy && found_bytes <= bytes &&
                    (const char *)found + found_bytes <= copy + bytes);
        memcpy(contents, found, found_bytes);
        contents[found_bytes] = '\0';
    }
    free(copy);
    return result;
}

static void files_are_found_by_path(void **state)
{
    (void)state;
    char contents[ARCHIVE_MAX];
    make_archive();
    assert_int_equal(find_in(used, "bin/first", contents), 0);
    assert_string_equal(contents, "first program");
    assert_int_equal(find_in(used, "etc/text", contents), 0);
    assert_string_equal(contents, "x");
    assert_int_equal(find_in(used, "bin/empty", contents), 0);
    assert_string_equal(contents, "");
    assert_int_equal(find_in(used, "bin/firs", contents), E_NOENT);
    assert_int_equal(find_in(used, "bin/first2", contents), E_NOENT);
    assert_int_equal(find_in(used, "TRAILER!!!", contents), E_NOENT);
}

static void without_an_archive_there_is_nothing(void **state)
{
    (void)state;
    const void *contents;
    u64 physical, bytes;
    initrd_init(0, 0);
    assert_false(initrd_range(&physical, &bytes));
    assert_int_equal(initrd_find("bin/first", &contents, &bytes), E_NOENT);
}

static void a_cut_archive_is_refused(void **state)
{
    (void)state;
    char contents[ARCHIVE_MAX];
    make_archive();
    for (u64 bytes = 1; bytes < used - 16; bytes++)
        assert_int_equal(find_in(bytes, "bin/missing", contents), E_INVAL);
}

static void noise_is_safe(void **state)
{
    (void)state;
    char contents[ARCHIVE_MAX];
    srand(3);
    for (u32 round = 0; round < 20000; round++) {
        make_archive();
        for (u32 i = 0; i < 3; i++)
            archive[(u64)rand() % used] = "0123456789abcdefF\377\0"[rand() % 19];
        find_in(used, "bin/missing", contents);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_by_path),
        cmocka_unit_test(without_an_archive_there_is_nothing),
        cmocka_unit_test(a_cut_archive_is_refused),
        cmocka_unit_test(noise_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
