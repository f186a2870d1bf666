// SPDX-License-Identifier: MIT
// trace/tools/gen_events.py refuses what is wrong, and says where.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char folder[64], output[4096];

static void write_def(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// Exit status of the generator; what it prints goes to output.
static int generate(const char *events)
{
    char command[256];
    write_def("events.def", events);
    snprintf(command, sizeof(command),
             "python3 trace/tools/gen_events.py --defs %s --out %s/out 2>&1", folder, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof(output) - 1, pipe)] = 0;
    return pclose(pipe);
}

static int generate_program(const char *events)
{
    char command[512];
    write_def("majors.def", "major(PROGRAM, 1, \"\")\nmajor(B, 2, \"\")\n");
    write_def("events.def", "event(B, 0, own_one, \"\")\n");
    write_def("own.txt", events);
    snprintf(command, sizeof(command),
             "python3 trace/tools/gen_events.py --defs %s --program %s/own.txt --out %s/out 2>&1",
             folder, folder, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof(output) - 1, pipe)] = 0;
    return pclose(pipe);
}

static int start(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/trace-gen-XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_def("majors.def", "major(A, 1, \"first\")\nmajor(B, 2, \"second\")\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

static void a_right_description_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(
        generate("// comment\n\nevent(A, 0, one, \"x=%lu y=%#lx z=%ld\", u32 x, u32 y, s64 z)\n"
                 "event(B, 0, none, \"100%%\")\n"),
        0);
    assert_string_equal(output, "");
}

static void wrong_descriptions_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"event(A, 0, one)", "expected event(MAJOR, minor, name"},
        {"event(C, 0, one, \"\")", "major C is not in majors.def"},
        {"event(A, 65535, one, \"\")", "minor 65535 is not below"},
        {"event(A, 0, one, \"%lu\", u24 x)", "expected a field as"},
        {"event(A, 0, one, \"%lu\", u32 x)", "leave 32 bits of the last word unfilled"},
        {"event(A, 0, one, \"%s %lu\", text x, u64 y)", "a text must be the last field"},
        {"event(A, 0, one, \"%lu\", text x)", "%s is for texts, and they have no other: x"},
        {"event(A, 0, one, \"%s\", u64 x)", "%s is for texts, and they have no other: x"},
        {"event(A, 0, one, \"%lu%lu%lu%lu%lu%lu%s\", u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, "
         "text g)",
         "no word of 6 is left for the text"},
        {"event(A, 0, one, \"%lu %lu %lu\", u32 x, u64 y, u32 z)", "field y straddles a word"},
        {"event(A, 0, one, \"%lu %lu\", u64 x, u64 x)", "two fields are named x"},
        {"event(A, 0, one, \"%lu\", u64 x, u64 y)", "1 conversions for 2 fields"},
        {"event(A, 0, one, \"%c\", u64 x)", "conversions must be of"},
        {"event(A, 0, one, \"\" u64 x)", "expected a comma"},
        {"event(A, 0, one, \"%lu %lu %lu %lu %lu %lu %lu\", u64 a, u64 b, u64 c, u64 d, "
         "u64 e, u64 f, u64 g)",
         "7 data words, at most 6"},
        {"event(A, 0, a_name_that_is_longer_than_forty_characters_is, \"\")", "longer than 39"},
        {"event(A, 1, first, \"\")", "event first clashes with first"},
        {"event(A, 7, other, \"\")", "event other clashes with first (major A, minor 7)"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "event(A, 7, first, \"\")\n%s\n", wrong[i].line);
        assert_int_not_equal(generate(text), 0);
        if (strstr(output, "events.def:2: error: ") == NULL ||
            strstr(output, wrong[i].message) == NULL)
            fail_msg("%s: expected \"%s\", got: %s", wrong[i].line, wrong[i].message, output);
    }
}

static void wrong_majors_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const wrong[] = {"major(B, 64, \"\")", "major(B, 1, \"\")",
                                        "major(A, 2, \"\")", "A"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "major(A, 1, \"\")\n%s\n", wrong[i]);
        write_def("majors.def", text);
        assert_int_not_equal(generate(""), 0);
        assert_non_null(strstr(output, "majors.def:2: error: "));
    }
}

static void a_programs_events_follow_each_other(void **state)
{
    (void)state;
    assert_int_equal(generate_program("provider(own)\nevent(0, a, \"\")\n"
                                      "event(1, b, \"%s\", text t)\n"),
                     0);
    static const char *const wrong[] = {
        "event(0, a, \"\")",
        "provider(b)\nevent(0, a, \"\")",
        "provider(a2345678901234567)\nevent(0, a, \"\")",
        "provider(own)\nevent(1, a, \"\")",
        "provider(own)\nevent(0, one, \"\")", // the kernel's function has that name
        "provider(own)\nevent(0, a, \"%s\", u64 t)",
        "provider(own)\nevent(0, a2345678901234567890123456789012, \"\")",
        "provider(own)\nevent(0, a, \"%lu\", u64 a23456789012345678901234)",
        "provider(own)",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_not_equal(generate_program(wrong[i]), 0);
        if (strstr(output, "own.txt:") == NULL || strstr(output, "error: ") == NULL)
            fail_msg("%s: %s", wrong[i], output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_right_description_is_accepted, start, end),
        cmocka_unit_test_setup_teardown(wrong_descriptions_are_refused_with_their_place, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_programs_events_follow_each_other, start, end),
        cmocka_unit_test_setup_teardown(wrong_majors_are_refused_with_their_place, start, end),
    };
    return cmocka_run_group_tests_name("trace_generator", tests, NULL, NULL);
}
