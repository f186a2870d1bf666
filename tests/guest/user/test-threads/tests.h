// SPDX-License-Identifier: MIT
// The parts of test-threads. Each adds what it has found to the counts of main.c.
#ifndef TEST_THREADS_TESTS_H
#define TEST_THREADS_TESTS_H

#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

void expect(bool condition, const char *file, int line, const char *text);
#define EXPECT(condition) expect(condition, __FILE__, __LINE__, #condition)

void test_basics(void);
void test_locks(void);
void test_order(void);
void test_pages(void);
void test_storm(void);

#endif
