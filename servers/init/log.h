// SPDX-License-Identifier: MIT
// Lines on the console, without stdio: init must be able to tell what is wrong
// when memory is short.
#ifndef INIT_LOG_H
#define INIT_LOG_H

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
