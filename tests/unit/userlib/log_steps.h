// SPDX-License-Identifier: MIT
// Makes the accesses of userlib/log/reader.c visible to its test.
#ifndef TESTS_LOG_STEPS_H
#define TESTS_LOG_STEPS_H

void log_step(void);
#define LOG_STEP() log_step()

#endif
