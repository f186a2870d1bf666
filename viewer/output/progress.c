// SPDX-License-Identifier: MIT
// One line on stderr that shows the progress of long work.
#include "output/progress.h"
#include "tools/clock.h"
#include "tools/kov.h"
#include "tools/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define REFRESH_SECONDS 0.1

// About the terminal, of which there is one. Threads with a sink of their own show nothing.
static bool shown;
static double shown_at;

void progress_show(const char *format, ...)
{
    if (message_has_sink() || !isatty(STDERR_FILENO) || clock_now() < shown_at + REFRESH_SECONDS)
        return;
    shown_at = clock_now();
    va_list arguments;
    va_start(arguments, format);
    char text[MESSAGE_LINE_BYTES];
    int width = lines_message_width();
    vsnprintf(text, sizeof(text), format, arguments);
    // Only one line can be wiped out again.
    fprintf(stderr, "\r\033[K%.*s", width == LINES_ANY_WIDTH ? MESSAGE_LINE_BYTES : width - 1,
            text);
    fflush(stderr);
    va_end(arguments);
    shown = true;
}

void progress_end(void)
{
    if (message_has_sink())
        return;
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
