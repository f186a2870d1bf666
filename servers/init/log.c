// SPDX-License-Identifier: MIT
// Lines on the console.
#include "log.h"

#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>

void log_line(const char *format, ...)
{
    char line[256];
    va_list arguments;
    int start = snprintf(line, sizeof(line), "init: ");
    va_start(arguments, format);
    int length = vsnprintf(line + start, sizeof(line) - (size_t)start - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    u64 bytes = (u64)start + (u64)length;
    if (bytes > sizeof(line) - 2)
        bytes = sizeof(line) - 2;
    line[bytes] = '\n';
    sys_console_write(line, bytes + 1);
}
