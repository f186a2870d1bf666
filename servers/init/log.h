// SPDX-License-Identifier: MIT
// Lines on the console, without stdio: init must be able to report errors when memory is short.
#ifndef INIT_LOG_H
#define INIT_LOG_H

// Prints "init: ", the formatted text and a newline. A line longer than 255 bytes is cut. Any
// thread.
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
