// SPDX-License-Identifier: MIT
// The tables of tests/guest/user/test-posix against the host's own library: what they say is what
// POSIX systems do.
#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/orrery-posix-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return -1;
    rows_prepare();
    return 0;
}

static int remove_folder(void **state)
{
    char command[sizeof(folder) + 16];
    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

static void all_hold(const char *table, const struct row *rows, unsigned count)
{
    char why[ROW_TEXT_BYTES];
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!row_holds(&rows[i], why)) {
            print_message("%s\n", why);
            wrong++;
        }
    }
    print_message("%s: %u of %u rows hold\n", table, count - wrong, count);
    assert_int_equal(wrong, 0);
}

static void the_host_fails_as_the_table_says(void **state)
{
    (void)state;
    all_hold("errors.def", error_rows, error_row_count);
}

static void the_host_returns_what_the_table_says(void **state)
{
    (void)state;
    all_hold("values.def", value_rows, value_row_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_fails_as_the_table_says),
        cmocka_unit_test(the_host_returns_what_the_table_says),
    };
    return cmocka_run_group_tests_name("posix_tables", tests, enter_folder, remove_folder);
}
