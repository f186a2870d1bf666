// SPDX-License-Identifier: MIT
// The parts of test-libc. Each adds what it has found to the counts of main.c.
#ifndef TEST_LIBC_TESTS_H
#define TEST_LIBC_TESTS_H

extern unsigned long passed, failed;

void expect(int condition, const char *file, int line, const char *text);
#define EXPECT(condition) expect(condition, __FILE__, __LINE__, #condition)

void test_malloc(void);
void test_math(void);
void test_setjmp(void);
void test_stdio(void);
void test_stdlib(void);
void test_string(void);
void test_time(void);

#endif
