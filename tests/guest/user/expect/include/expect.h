// SPDX-License-Identifier: MIT
// Verdicts of a test program: counted, and told when they are bad. Any thread.
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <stdbool.h>

#define EXPECT(condition) expect((condition) != 0, __FILE__, __LINE__, #condition)

// Counts one; prints a line for each of the first 20 that did not hold.
void expect(bool holds, const char *file, int line, const char *text);
// 0 when all have held, else 1: the program's exit status.
int expect_status(void);
// Prints "NAME: N passed, N failed" and returns the status.
int expect_report(const char *name);

#endif
