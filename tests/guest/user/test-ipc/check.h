// SPDX-License-Identifier: MIT
// Checks that go on after a failure, and say what was expected and what came.
#ifndef TEST_IPC_CHECK_H
#define TEST_IPC_CHECK_H

#include <orrery/types.h>

// expected and got are numbers; prints where and what when they differ. True when they are equal.
#define CHECK_IS(got, expected) check_is(__FILE__, __LINE__, #got, (s64)(got), (s64)(expected))
#define CHECK(condition) check_is(__FILE__, __LINE__, #condition, (condition) ? 1 : 0, 1)

bool check_is(const char *file, int line, const char *what, s64 got, s64 expected);
u64 check_failures(void);

// The same sequence of numbers in every run.
u64 random_below(u64 *seed, u64 bound);

#endif
