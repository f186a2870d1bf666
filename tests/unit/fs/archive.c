// SPDX-License-Identifier: MIT
// cpio archives: what scripts/mkinitrd.py writes is read back;
// damage of every kind is found and does no harm.
#include <cpio/cpio.h>
#include <orrery/errors.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static u8 archive[0x40000];
static u64 archive_bytes;

static void write_file(const char *path, const char *text, u64 times)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (u64 i = 0; i < times; i++)
        fputs(text, file);
    fclose(file);
}

static int make(void **state)
{
    (void)state;
    char folder[] = "/tmp/cpio-XXXXXX", path[64], command[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/small", folder);
    write_file(path, "hello", 1);
    snprintf(path, sizeof(path), "%s/large", folder);
    write_file(path, "0123456789abcdef", 1000);
    snprintf(path, sizeof(path), "%s/empty", folder);
    write_file(path, "", 0);
    snprintf(command, sizeof(command),
             "python3 scripts/mkinitrd.py --out %s/out bin/large=%s/large etc/deep/small=%s/small "
             "empty=%s/empty",
             folder, folder, folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof(path), "%s/out", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    archive_bytes = fread(archive, 1, sizeof(archive), file);
    fclose(file);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

static bool find(const char *name, struct cpio_entry *entry)
{
    struct cpio cpio = {.data = archive, .bytes = archive_bytes};
    while (cpio_next(&cpio, entry) > 0) {
        if (strcmp(entry->name, name) == 0)
            return true;
    }
    return false;
}

static void everything_is_found(void **state)
{
    (void)state;
    struct cpio_entry entry;
    assert_true(find("bin", &entry) && entry.directory);
    assert_true(find("etc/deep", &entry) && entry.directory);
    assert_true(find("etc/deep/small", &entry) && !entry.directory && entry.bytes == 5);
    assert_memory_equal(archive + entry.offset, "hello", 5);
    assert_true(find("empty", &entry) && entry.bytes == 0);
    assert_true(find("bin/large", &entry) && entry.bytes == 16000);
    assert_int_equal(entry.offset % 4096, 0); // so that it can be mapped
    assert_memory_equal(archive + entry.offset + 15990, "6789abcdef", 10);
    assert_false(find("TRAILER!!!", &entry));
    struct cpio cpio = {.data = archive, .bytes = archive_bytes};
    u32 count = 0;
    s64 more;
    while ((more = cpio_next(&cpio, &entry)) > 0)
        count++;
    assert_int_equal(more, 0);
    assert_int_equal(count, 6);
}

// Reads a copy of exactly that size to its end: a sanitizer sees every access outside.
// Returns the last result.
static s64 read_copy(const u8 *from, u64 bytes)
{
    struct cpio_entry entry;
    u8 *copy = malloc(bytes);
    if (bytes > 0)
        memcpy(copy, from, bytes);
    struct cpio cpio = {.data = copy, .bytes = bytes};
    s64 more;
    u32 count = 0;
    while ((more = cpio_next(&cpio, &entry)) > 0) {
        assert_true(entry.offset <= bytes && entry.bytes <= bytes - entry.offset);
        assert_true(strlen(entry.name) <= CPIO_NAME_MAX);
        assert_true(++count < 10000);
    }
    free(copy);
    return more;
}

static void cut_archives_are_damaged_ones(void **state)
{
    (void)state;
    assert_int_equal(read_copy(archive, 0), E_PROTO);
    for (u64 bytes = 1; bytes < archive_bytes - 4096; bytes += bytes % 7 + 1)
        assert_int_equal(read_copy(archive, bytes), E_PROTO);
    assert_int_equal(read_copy(archive, archive_bytes), 0);
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    static u8 noisy[sizeof(archive)];
    srand(3);
    for (u32 round = 0; round < 3000; round++) {
        memcpy(noisy, archive, archive_bytes);
        for (u32 i = 0; i < 1 + (u32)rand() % 4; i++)
            noisy[(u64)rand() % 600] = (u8)("0123456789abcdefF7\0\377"[rand() % 20]);
        read_copy(noisy, archive_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_found),
        cmocka_unit_test(cut_archives_are_damaged_ones),
        cmocka_unit_test(noise_does_no_harm),
    };
    return cmocka_run_group_tests_name("fs_archive", tests, make, NULL);
}
