// SPDX-License-Identifier: MIT
// Messages to the person at the terminal, or to a thread's sink.
#include "tools/kov.h"

#include <stdarg.h>

// A thread's own, so that the messages of one machine do not reach another.
static _Thread_local bool quiet;
static _Thread_local message_sink *sink;
static _Thread_local void *sink_context;

void message_quiet(bool on)
{
    quiet = on;
}

void message_to(message_sink *to, void *context)
{
    sink = to;
    sink_context = context;
}

bool message_has_sink(void)
{
    return sink != NULL;
}

static void say(bool is_warning, const char *format, va_list arguments)
{
    if (quiet)
        return;
    if (sink != NULL) {
        char text[MESSAGE_LINE_BYTES];
        vsnprintf(text, sizeof(text), format, arguments);
        sink(sink_context, is_warning, text);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "kov: %s", is_warning ? "warning: " : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(false, format, arguments);
    va_end(arguments);
    return code;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(true, format, arguments);
    va_end(arguments);
}
