// SPDX-License-Identifier: MIT
// The resolver, with files that are made up here: which of them it opens and closes, what it tells
// of those that are another build's, and what a machine can take from another one.
#include "unit.h"

#include "gateway/resolver.h"
#include "symbols/code.h"
#include "symbols/images.h"
#include "symbols/kernel.h"
#include "symbols/programs.h"
#include "tools/kov.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_FUNCTION 0xdead0000u // an address in no function

struct settings settings;

// An ELF file. Its functions are called by its own text.
struct symbols {
    char text[64];
    char function[96];
};

static atomic_int opened, closed;
static _Thread_local bool has_folder; // of programs

static struct symbols *open_file(const char *text)
{
    struct symbols *symbols = calloc(1, sizeof(*symbols));
    assert_non_null(symbols);
    snprintf(symbols->text, sizeof(symbols->text), "%s", text);
    atomic_fetch_add(&opened, 1);
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols != NULL)
        atomic_fetch_add(&closed, 1);
    free(symbols);
}

bool code_find(struct symbols *symbols, u64 address, struct code_range *range)
{
    *range = (struct code_range){0};
    return symbols != NULL && address != NO_FUNCTION;
}

struct symbol symbols_find(struct symbols *symbols, u64 address)
{
    snprintf(symbols->function, sizeof(symbols->function), "%s_%llx", symbols->text,
             (unsigned long long)address);
    return (struct symbol){.function = symbols->function, .file = "/x/a.c", .line = 7};
}

const char *symbols_inlined(struct symbols *symbols, u64 address)
{
    return symbols != NULL && address == 0x20 ? "inlined" : NULL;
}

// A build id of 'd' differs from the file that is named, of 'u' has no file.
void kernel_use_build_id(struct kernel *kernel, const u8 *id, size_t size)
{
    kernel->id_size = size > KERNEL_BUILD_ID_BYTES ? KERNEL_BUILD_ID_BYTES : size;
    memcpy(kernel->id, id, kernel->id_size);
}

enum kernel_match kernel_check(struct kernel *kernel)
{
    char text[8];
    snprintf(text, sizeof(text), "k%02x", kernel->id[0]);
    snprintf(kernel->path, sizeof(kernel->path), "named.elf");
    kernel->problem = "no such file";
    if (kernel->symbols == NULL && kernel->id[0] != 'u')
        kernel->symbols = open_file(text);
    return kernel->id[0] == 'u'   ? KERNEL_UNREADABLE
           : kernel->id[0] == 'd' ? KERNEL_DIFFERS
                                  : KERNEL_MATCHES;
}

void kernel_close(struct kernel *kernel)
{
    symbols_close(kernel->symbols);
    kernel->symbols = NULL;
}

void image_found(const char *kernel)
{
    has_folder = kernel != NULL;
}

struct symbols *program_symbols_named(struct programs *programs, const char *name)
{
    assert_true(programs->quiet);
    if (!has_folder || strcmp(name, "none") == 0)
        return NULL;
    if (programs->programs == NULL) {
        programs->programs = calloc(1, sizeof(*programs->programs));
        programs->programs[0].symbols = open_file(name);
        programs->count = 1;
    }
    return programs->programs[0].symbols;
}

void programs_close(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        symbols_close(programs->programs[i].symbols);
    free(programs->programs);
    *programs = (struct programs){0};
}

// ---- asking ------------------------------------------------------------------------------------

static struct resolved find(u32 binary, u64 address)
{
    struct resolved found;
    while (!resolver_find(binary, address, &found))
        usleep(100);
    return found;
}

static u32 binary_of(u32 machine, u8 build, const char *program)
{
    return resolver_binary(machine, &build, 1, program);
}

static void a_function_has_its_binary_and_line(void **state)
{
    (void)state;
    u32 kernel = binary_of(0, 1, NULL), program = binary_of(0, 1, "fs");
    assert_int_not_equal(kernel, program);
    assert_int_equal(binary_of(0, 1, NULL), kernel);
    assert_int_equal(binary_of(0, 1, "fs"), program);
    struct resolved found = find(kernel, 0x20);
    assert_string_equal(found.function, "kernel:k01_20");
    assert_string_equal(found.inlined, "inlined");
    assert_string_equal(found.file, "/x/a.c");
    assert_int_equal(found.line, 7);
    assert_null(found.why);
    assert_string_equal(find(program, 0x30).function, "fs:fs_30");
    assert_ptr_equal(find(program, 0x30).function, find(program, 0x30).function);
    found = find(kernel, NO_FUNCTION); // the file is there, and has no function there
    assert_null(found.function);
    assert_null(found.why);
    found = find(0, 0x20);
    assert_null(found.function);
}

static void the_file_of_another_build_gives_no_names(void **state)
{
    (void)state;
    struct resolved found = find(binary_of(0, 'd', NULL), 0x20);
    assert_null(found.function);
    assert_null(found.file);
    assert_string_equal(found.binary, "kernel");
    assert_string_equal(found.why, "named.elf is not the kernel that was measured (build ids "
                                   "differ)");
    found = find(binary_of(0, 'd', "fs"), 0x20); // programs beside it are of that build, too
    assert_null(found.function);
    assert_string_equal(found.binary, "fs");
    assert_non_null(strstr(found.why, "build ids differ"));
}

static void a_missing_file_is_told(void **state)
{
    (void)state;
    struct resolved found = find(binary_of(0, 'u', NULL), 0x20);
    assert_null(found.function);
    assert_string_equal(found.why, "named.elf: no such file");
    found = find(binary_of(0, 1, "none"), 0x20);
    assert_null(found.function);
    assert_string_equal(found.why, "there is no ELF file of the program none");
}

// A gateway that runs for long sees many builds. All have names, and few files are open.
static void each_build_has_names(void **state)
{
    char expected[32];
    (void)state;
    for (u32 round = 0; round < 2; round++)
        for (u8 build = 1; build <= 3 * RESOLVER_IMAGES; build++) {
            u64 address = 0x1000 + round;
            snprintf(expected, sizeof(expected), "kernel:k%02x_%llx", build,
                     (unsigned long long)address);
            assert_string_equal(find(binary_of(1, build, NULL), address).function, expected);
            // A program's file is open beside its kernel's.
            assert_true(atomic_load(&opened) - atomic_load(&closed) <= 2 * RESOLVER_IMAGES);
        }
}

// What a machine tells that lies: more programs and more addresses than there is room for.
static void a_machine_takes_nothing_from_another_one(void **state)
{
    char name[32];
    struct resolved found;
    (void)state;
    u32 honest = binary_of(3, 1, NULL);
    assert_non_null(find(honest, 0x40).function);
    u32 lying = binary_of(2, 1, NULL), last = lying;
    for (u32 i = 0; i < RESOLVER_BINARIES + 10; i++) {
        snprintf(name, sizeof(name), "program-%u", i);
        last = binary_of(2, 1, name);
    }
    assert_int_equal(last, RESOLVER_FULL);
    found = find(last, 0x40);
    assert_null(found.function);
    assert_string_equal(found.why, "the machine has had too many programs");
    assert_int_equal(binary_of(2, 1, NULL), lying); // what it had it keeps
    for (u64 address = 0; address < 2 * RESOLVER_ADDRESSES + 10; address++)
        (void)resolver_find(lying, 0x100000 + address, &found);
    assert_true(resolver_find(honest, 0x40, &found)); // known at once, as before
    assert_non_null(found.function);
    assert_non_null(find(honest, 0x44).function); // and does not wait for all of the others
    assert_int_not_equal(binary_of(3, 1, "fs"), RESOLVER_FULL);
    assert_non_null(find(lying, 0x50).function);
}

static void the_end_closes_all(void **state)
{
    struct resolved found;
    (void)state;
    u32 binary = binary_of(4, 1, NULL);
    for (u64 address = 0; address < 1000; address++)
        (void)resolver_find(binary, address, &found); // some may still be wanted
    resolver_end();
    assert_int_equal(atomic_load(&opened), atomic_load(&closed));
    assert_true(atomic_load(&opened) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_its_binary_and_line),
        cmocka_unit_test(the_file_of_another_build_gives_no_names),
        cmocka_unit_test(a_missing_file_is_told),
        cmocka_unit_test(each_build_has_names),
        cmocka_unit_test(a_machine_takes_nothing_from_another_one),
        cmocka_unit_test(the_end_closes_all), // last: nothing is looked up after it
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
