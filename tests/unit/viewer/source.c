// SPDX-License-Identifier: MIT
// Source files: where they are found, and their lines.
#include "unit.h"

#include "symbols/source.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/kov-unit-XXXXXX";

static void path_in(const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, size_t size)
{
    char path[PATH_MAX];
    path_in(name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    char path[PATH_MAX];
    if (mkdtemp(folder) == NULL)
        return -1;
    path_in("deep", path);
    return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    const char *const names[] = {"a.c", "deep/a.c", "odd.c", "deep"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[PATH_MAX];
        path_in(names[i], path);
        remove(path);
    }
    return rmdir(folder);
}

static struct sources sources;

static void lines_are_counted_from_one(void **state)
{
    (void)state;
    char path[PATH_MAX];
    write_file("a.c", "one\ntwo\n\nfour", 13);
    path_in("a.c", path);
    const struct source *source = source_find(&sources, path, "/nowhere");
    assert_string_equal(source->path, path);
    assert_int_equal(source->count, 4);
    assert_null(source_line(source, 0));
    assert_string_equal(source_line(source, 1), "one");
    assert_string_equal(source_line(source, 3), "");
    assert_string_equal(source_line(source, 4), "four");
    assert_null(source_line(source, 5));
    assert_ptr_equal(source_find(&sources, path, "/nowhere"), source);
    sources_close(&sources);
}

static void a_file_elsewhere_is_found_by_the_end_of_its_path(void **state)
{
    (void)state;
    char path[PATH_MAX];
    write_file("a.c", "top\n", 4);
    write_file("deep/a.c", "deep\n", 5);
    path_in("deep/a.c", path);
    assert_string_equal(source_find(&sources, "/old/place/deep/a.c", folder)->path, path);
    path_in("a.c", path);
    assert_string_equal(source_find(&sources, "/old/place/a.c", folder)->path, path);
    assert_string_equal(source_find(&sources, "relative/a.c", folder)->path, path);
    sources_close(&sources);
}

static void a_missing_file_has_no_lines(void **state)
{
    (void)state;
    const char *const names[] = {"/old/place/b.c", "", "/", "deep", "<built-in>"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct source *source = source_find(&sources, names[i], folder);
        assert_null(source->path);
        assert_null(source_line(source, 1));
    }
    sources_close(&sources);
}

static void lines_are_utf8_without_tabs(void **state)
{
    (void)state;
    char path[PATH_MAX];
    write_file("odd.c", "a\tb\t\tc\r\n\x1b[2J\xff\n\0x\n", 17);
    path_in("odd.c", path);
    const struct source *source = source_find(&sources, path, folder);
    assert_string_equal(source_line(source, 1), "a       b               c");
    assert_string_equal(source_line(source, 2), "\x1b[2J?");
    assert_int_equal(source->count, 3);
    sources_close(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted_from_one),
        cmocka_unit_test(a_file_elsewhere_is_found_by_the_end_of_its_path),
        cmocka_unit_test(a_missing_file_has_no_lines),
        cmocka_unit_test(lines_are_utf8_without_tabs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
