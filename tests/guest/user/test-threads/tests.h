// SPDX-License-Identifier: MIT
// The parts of test-threads.
#ifndef TEST_THREADS_TESTS_H
#define TEST_THREADS_TESTS_H

#include <expect.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

void test_basics(void);
void test_locks(void);
void test_order(void);
void test_pages(void);
void test_storm(void);

#endif
