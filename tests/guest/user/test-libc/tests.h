// SPDX-License-Identifier: MIT
// The parts of test-libc.
#ifndef TEST_LIBC_TESTS_H
#define TEST_LIBC_TESTS_H

#include <expect.h>

void test_malloc(void);
void test_math(void);
void test_setjmp(void);
void test_stdio(void);
void test_stdlib(void);
void test_string(void);
void test_copies(void);
void test_time(void);

#endif
