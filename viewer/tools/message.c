// SPDX-License-Identifier: MIT
// Messages to the person at the terminal.
#include "tools/kov.h"

#include <stdarg.h>

static bool quiet;

void message_quiet(bool on)
{
    quiet = on;
}

static void say(const char *kind, const char *format, va_list arguments)
{
    if (quiet)
        return;
    fflush(stdout);
    fprintf(stderr, "kov: %s", kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
    return code;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("warning: ", format, arguments);
    va_end(arguments);
}
