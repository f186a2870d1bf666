// SPDX-License-Identifier: MIT
// ipc/tools/gen_stubs.py refuses what is wrong, and says where.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static char folder[64], output[4096];

// Exit status of the generator; what it prints goes to output.
static int generate(const char *text)
{
    char path[128], command[400];
    snprintf(path, sizeof(path), "%s/given.idl", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof(command), "python3 ipc/tools/gen_stubs.py %s --out %s/out 2>&1", path,
             folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof(output) - 1, pipe)] = 0;
    return pclose(pipe);
}

static int start(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ipc-gen-XXXXXX");
    assert_non_null(mkdtemp(folder));
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
    assert_int_equal(generate("// A comment.\ninterface given;\nconstant N = 0x10;\n"
                              "struct one { u32 a; u16 b[2]; char c[N]; };\n"
                              "method m(in string s[N], out struct one o) later errors E_NOENT;\n"),
                     0);
    assert_string_equal(output, "");
}

static void wrong_descriptions_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"metod m();", "expected constant, struct or method"},
        {"method M();", "expected the name of a method"},
        {"method first();", "two methods are named first"},
        {"method m(u32 x);", "expected in or out"},
        {"method m(in u33 x);", "expected a type"},
        {"method m(in u32 x, in u32 x);", "two parameters are named x"},
        {"method m(in u32 status);", "cannot be named status"},
        {"method m(in struct pear x);", "no struct pear"},
        {"method m(in string s);", "expected \"[\""},
        {"method m(in string s[MAX]);", "expected a number or a constant"},
        {"method m(in bytes s[0]);", "a limit of 0"},
        {"method m(in bytes s[100000]);", "a limit of 100000"},
        {"method m(in u32 a, in u32 b, in u32 c, in u32 d, in u32 e, in u32 f);", "7 words in"},
        {"method m(in u32 a, in u32 b, in u32 c, in u32 d, in u32 e, out bytes f[1]);",
         "7 words in"},
        {"method m(in bytes a[10000], out bytes b[10000]);", "bytes in and out, at most 16384"},
        {"method m(in cap a, in cap b);", "2 capabilities in"},
        {"method m(out bytes a[1], out string b[1]);", "2 strings or buffers out"},
        {"method m(in u32 a) errors E_OOPS;", "E_OOPS is no error"},
        {"method m(in u32 a) error;", "expected \";\""},
        {"struct s { };", "struct s is empty"},
        {"struct s { u32 a; u64 b; };", "field b would be padded"},
        {"struct s { u32 a; };", "4 bytes, which is not a multiple of 8"},
        {"struct s { u64 a; u64 a; };", "two fields are named a"},
        {"struct s { float a; };", "expected a field of an integer type"},
        {"constant lower = 1;", "expected the name of a constant"},
        {"constant A = 1; constant A = 2;", "two constants are named A"},
        {"method m(in u32 a); $", "unexpected \"$\""},
        {"method m(in u32 a)", "expected \";\", not \"end of file\""},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "interface given;\nmethod first();\n%s\n", wrong[i].line);
        assert_int_not_equal(generate(text), 0);
        if (strstr(output, "given.idl:3: error: ") == NULL ||
            strstr(output, wrong[i].message) == NULL)
            fail_msg("%s: expected \"%s\", got: %s", wrong[i].line, wrong[i].message, output);
    }
}

static void a_file_needs_an_interface_with_methods(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "method m();", "interface;", "interface given;"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_not_equal(generate(wrong[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_right_description_is_accepted, start, end),
        cmocka_unit_test_setup_teardown(wrong_descriptions_are_refused_with_their_place, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_file_needs_an_interface_with_methods, start, end),
    };
    return cmocka_run_group_tests_name("idl_generator", tests, NULL, NULL);
}
