// SPDX-License-Identifier: MIT
// Paths: made absolute, and divided at mount points.
#include "path_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_form_has_one_absolute_path(void **state)
{
    (void)state;
    static const struct {
        const char *from, *path, *expected;
    } cases[] = {
        {"/", "a", "/a"},
        {"/", ".", "/"},
        {"/", "..", "/"},
        {"/", "/", "/"},
        {"/", "//", "/"},
        {"/", "/../../x/", "/x"},
        {"/a/b", "c/d", "/a/b/c/d"},
        {"/a/b", "../c", "/a/c"},
        {"/a/b", "../../..", "/"},
        {"/a/b", "./././c//d/.", "/a/b/c/d"},
        {"/a/b", "/c", "/c"},
        {"/a", "...", "/a/..."},
        {"/a", ".hidden/..x", "/a/.hidden/..x"},
    };
    char out[PATH_BYTES];
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_true(path_absolute(cases[i].from, cases[i].path, out));
        assert_string_equal(out, cases[i].expected);
    }
    assert_false(path_absolute("/", "", out));
}

static void what_is_too_long_is_refused(void **state)
{
    (void)state;
    char *out = malloc(PATH_BYTES); // of exactly that size, for the sanitizer
    static char path[2 * PATH_BYTES];
    for (u32 length = 1; length < sizeof(path) - 1; length++) {
        memset(path, 'x', length);
        path[length] = '\0';
        assert_int_equal(path_absolute("/", path, out), length + 2 <= PATH_BYTES);
        path[0] = '/';
        assert_int_equal(path_is_normal(path), length + 1 <= PATH_BYTES);
    }
    memset(path, 0, sizeof(path));
    for (u32 i = 0; i < sizeof(path) / 5 - 1; i++)
        strcat(path, "a/../");
    assert_true(path_absolute("/", path, out));
    assert_string_equal(out, "/");
    free(out);
}

static void mount_points_divide_whole_names_only(void **state)
{
    (void)state;
    assert_string_equal(path_below("/proc", "/proc"), "/");
    assert_string_equal(path_below("/proc/1/maps", "/proc"), "/1/maps");
    assert_null(path_below("/process", "/proc"));
    assert_null(path_below("/pro", "/proc"));
    assert_null(path_below("/", "/proc"));
    assert_string_equal(path_below("/x", "/"), "/x");
}

static void noise_gives_normal_paths(void **state)
{
    (void)state;
    char path[40], out[PATH_BYTES];
    srand(1);
    for (u32 round = 0; round < 200000; round++) {
        u32 length = (u32)rand() % (sizeof(path) - 1);
        for (u32 i = 0; i < length; i++)
            path[i] = "/./ab."[rand() % 6];
        path[length] = '\0';
        if (!path_absolute("/d/e", path, out)) {
            assert_false(path_is_normal(path));
            continue;
        }
        if (path_is_normal(path))
            assert_string_equal(out, path);
        // Without hidden names it is told of all that are.
        if (strstr(out, "/.") == NULL)
            assert_true(path_is_normal(out));
        assert_int_equal(out[0], '/');
        assert_null(strstr(out, "//"));
        assert_null(strstr(out, "/./"));
        assert_null(strstr(out, "/../"));
        assert_true(out[1] == '\0' || out[strlen(out) - 1] != '/');
    }
}

static void what_must_be_a_directory_is_told_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        u64 ends[3]; // of what must be one
    } cases[] = {
        {"a", {0}},
        {"/", {0}},
        {"..", {0}},
        {"./..", {0}},
        {"a/b", {0}},
        {"a/", {1}},
        {"a//", {1}},
        {"a/.", {1}},
        {"/a/./", {2}},
        {"a/..", {1}},
        {"a/../..", {1}},
        {"../../a/", {7}},
        {"a/b/../c", {3}},
        {"a/./../b/", {1, 8}},
        {"a/../b/../c/.", {1, 6, 11}},
        {"a/...", {0}},
    };
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        u64 at = 0;
        for (u32 j = 0; j < 3 && cases[i].ends[j] != 0; j++)
            assert_int_equal(path_next_directory(cases[i].path, &at), cases[i].ends[j]);
        assert_int_equal(path_next_directory(cases[i].path, &at), 0);
    }
}

static void names_are_measured_and_compared(void **state)
{
    (void)state;
    char path[2 * NAME_BYTES + 8] = "/";
    memset(path + 1, 'n', NAME_BYTES);
    assert_false(path_has_long_name(path));
    strcat(path, "/");
    memset(path + NAME_BYTES + 2, 'n', NAME_BYTES);
    assert_false(path_has_long_name(path));
    strcat(path, "n");
    assert_true(path_has_long_name(path));
    assert_false(path_has_long_name("") || path_has_long_name("//"));
    assert_true(path_ends_with(".", ".") && path_ends_with("a/.//", ".") &&
                path_ends_with("a/..", ".."));
    assert_false(path_ends_with("..", ".") || path_ends_with("a.", ".") ||
                 path_ends_with("/", ".") || path_ends_with("", "."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_one_absolute_path),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(mount_points_divide_whole_names_only),
        cmocka_unit_test(noise_gives_normal_paths),
        cmocka_unit_test(what_must_be_a_directory_is_told_in_order),
        cmocka_unit_test(names_are_measured_and_compared),
    };
    return cmocka_run_group_tests_name("posix_path", tests, NULL, NULL);
}
