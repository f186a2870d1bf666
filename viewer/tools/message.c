// SPDX-License-Identifier: MIT
// Messages to the person at the terminal, or to a thread's sink.
#include "tools/kov.h"
#include "tools/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A thread's own, so that the messages of one machine do not reach another.
static _Thread_local bool quiet;
static _Thread_local message_sink *sink;
static _Thread_local void *sink_context;
static char command_options[512];

void message_command_options(const char *options)
{
    snprintf(command_options, sizeof(command_options), "%s", options);
}

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

// Prints a text. Commands in it, such as `kov ps`, are for copying: they get the options with which
// this one has found the machine.
static void print_commands(const char *text)
{
    static const char command[] = "`kov ";
    for (const char *at; (at = strstr(text, command)) != NULL; text = at + strlen(command)) {
        fprintf(stderr, "%.*s%s", (int)(at - text), text, command);
        if (strncmp(at + strlen(command), "help", strlen("help")) == 0)
            continue;
        fputs(command_options, stderr);
    }
    fputs(text, stderr);
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
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        return;
    fflush(stdout);
    char *escaped = text_copy_escaped(text); // names from outside stand in it
    fprintf(stderr, "kov: %s", is_warning ? "warning: " : "");
    print_commands(escaped);
    fputc('\n', stderr);
    free(escaped);
    free(text);
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
