// SPDX-License-Identifier: MIT
// The shell. It reads commands from the console, a file or an argument.
#include "jobs.h"
#include "run.h"
#include "terminal.h"
#include "variables.h"

#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

static int usage(FILE *to)
{
    fprintf(to, "usage: sh                      commands from the console or standard input\n"
                "       sh FILE [ARGUMENT …]    from a file\n"
                "       sh -c TEXT [NAME ARGUMENT …]\n");
    return to == stderr ? 2 : 0;
}

static void set_default(const char *name, const char *value)
{
    if (variable_get(name) == NULL)
        variable_set(name, value);
    variable_export(name);
}

// Runs lines of the console. Lines are joined until a command is complete.
static void interact(void)
{
    char text[LINE_MAX_BYTES] = "";
    char prompt[PATH_BYTES + 16], folder[PATH_BYTES];
    const char *line;

    while (!shell.exiting) {
        jobs_notice(true);
        const char *here = getcwd(folder, sizeof(folder)) == NULL ? "?" : folder;
        snprintf(prompt, sizeof(prompt), "orrery:%s$ ", here);
        enum editor_result result = terminal_read(text[0] == 0 ? prompt : "> ", &line);
        if (result == EDITOR_CANCEL || strlen(text) + strlen(line) + 2 > sizeof(text)) {
            text[0] = 0;
            continue;
        }
        if (result == EDITOR_END)
            continue; // there is nothing to return to from the console's shell
        terminal_remember(line);
        strcat(text, line);
        if (run_text(text))
            text[0] = 0;
        else
            strcat(text, "\n");
    }
}

// Runs lines of the standard input, which is no terminal.
static void read_lines(void)
{
    char text[LINE_MAX_BYTES] = "";
    u64 length = 0;

    while (!shell.exiting && fgets(text + length, (int)(sizeof(text) - length), stdin) != NULL) {
        if (run_text(text))
            text[0] = 0;
        length = strlen(text);
        if (length + 1 >= sizeof(text))
            break;
    }
    if (text[0] != 0)
        run_whole_text(text);
}

static int from_input(char **argv)
{
    shell.arguments = argv;
    if (!isatty(0)) {
        read_lines();
        return shell.status;
    }
    s64 error = terminal_start();
    if (error != 0) {
        fprintf(stderr, "sh: console: %s\n", orrery_strerror(error));
        return 1;
    }
    shell.interactive = true;
    interact();
    return shell.status;
}

// sh -c TEXT [NAME ARGUMENT …]
static int from_argument(int argc, char **argv)
{
    if (argc < 3)
        return usage(stderr);
    shell.arguments = argc > 3 ? argv + 3 : argv;
    shell.argument_count = argc > 4 ? argc - 4 : 0;
    run_whole_text(argv[2]);
    return shell.status;
}

int main(int argc, char **argv)
{
    setvbuf(stderr, NULL, _IOLBF, 0);
    set_default("PATH", "/bin");
    set_default("HOME", "/");
    if (argc < 2)
        return from_input(argv);
    if (strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (strcmp(argv[1], "-c") == 0)
        return from_argument(argc, argv);
    shell.arguments = argv + 1;
    shell.argument_count = argc - 2;
    return run_file(argv[1]) == 0 ? shell.status : STATUS_NOT_FOUND;
}
