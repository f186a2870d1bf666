// SPDX-License-Identifier: MIT
// newlib, part by part. The last line is "test-libc: N passed, N failed".
#include "tests.h"

#include <stdio.h>

unsigned long passed, failed;

void expect(int condition, const char *file, int line, const char *text)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED %s:%d: %s\n", file, line, text);
}

int main(void)
{
    test_string();
    test_stdlib();
    test_stdio();
    test_setjmp();
    test_math();
    test_time();
    test_malloc();
    printf("test-libc: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
