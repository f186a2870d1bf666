// SPDX-License-Identifier: MIT
// newlib, part by part. The last line is "test-libc: N passed, N failed".
#include "tests.h"

int main(void)
{
    test_string();
    test_copies();
    test_stdlib();
    test_stdio();
    test_setjmp();
    test_math();
    test_time();
    test_malloc();
    return expect_report("test-libc");
}
