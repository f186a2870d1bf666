// SPDX-License-Identifier: MIT
// The table of tests/guest/user/test-pthreads against the host's own library.
#include "table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_host_answers_as_the_table_says(void **state)
{
    char why[TABLE_TEXT_BYTES];
    unsigned wrong = 0;
    (void)state;
    table_prepare();
    for (unsigned i = 0; i < table_count; i++) {
        if (!table_holds(&table_calls[i], why)) {
            print_message("%s\n", why);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_host_answers_as_the_table_says)};
    return cmocka_run_group_tests_name("posix_threads", tests, NULL, NULL);
}
