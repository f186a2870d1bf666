// SPDX-License-Identifier: MIT
// The table of the shell's own commands, and a function for each.
#include "builtins.h"

#include "jobs.h"
#include "run.h"
#include "variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

struct builtin {
    const char *name;
    builtin_function function;
    const char *help;
};

static const struct builtin builtins[];

static int complain(const int files[3], const char *format, const char *what)
{
    dprintf(files[2], "sh: ");
    dprintf(files[2], format, what);
    dprintf(files[2], "\n");
    return 1;
}

static int run_cd(int argc, char **argv, const int files[3])
{
    const char *to = argc > 1 ? argv[1] : variable_get("HOME");

    if (to == NULL)
        to = "/";
    if (chdir(to) == 0)
        return 0;
    dprintf(files[2], "sh: cd: %s: %s\n", to, strerror(errno));
    return 1;
}

static int run_pwd(int argc, char **argv, const int files[3])
{
    char path[PATH_BYTES];

    (void)argc, (void)argv;
    if (getcwd(path, sizeof(path)) == NULL)
        return complain(files, "pwd: %s", strerror(errno));
    dprintf(files[1], "%s\n", path);
    return 0;
}

static int run_exit(int argc, char **argv, const int files[3])
{
    char *end = NULL;
    long status = argc > 1 ? strtol(argv[1], &end, 10) : shell.status;

    if (argc > 1 && (*end != 0 || end == argv[1]))
        return complain(files, "exit: %s is not a number", argv[1]);
    shell.exiting = true;
    return (int)(status & 0xff);
}

static int run_export(int argc, char **argv, const int files[3])
{
    int status = 0;

    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!is_name(argv[i], value == NULL ? strlen(argv[i]) : (u64)(value - argv[i]))) {
            status = complain(files, "export: %s is not a name", argv[i]);
            continue;
        }
        if (value != NULL)
            *value++ = 0;
        if ((value != NULL && variable_set(argv[i], value) != 0) || variable_export(argv[i]) != 0)
            status = complain(files, "export: %s is not set", argv[i]);
    }
    return status;
}

static int run_unset(int argc, char **argv, const int files[3])
{
    (void)files;
    for (int i = 1; i < argc; i++)
        variable_unset(argv[i]);
    return 0;
}

static void show_variable(void *context, const char *name, const char *value, bool exported)
{
    dprintf(*(const int *)context, "%s%s=%s\n", exported ? "export " : "", name, value);
}

static int run_set(int argc, char **argv, const int files[3])
{
    int out = files[1];

    (void)argc, (void)argv;
    variables_each(show_variable, &out);
    return 0;
}

static int run_jobs(int argc, char **argv, const int files[3])
{
    (void)argc, (void)argv;
    jobs_list(files[1]);
    return 0;
}

// Waits for the job whose number, perhaps after a "%", is given, or for all.
static int run_wait(int argc, char **argv, const int files[3])
{
    if (argc > 1) {
        const char *number = argv[1] + (argv[1][0] == '%');
        struct job *job = job_find((u32)strtoul(number, NULL, 10));
        if (job == NULL)
            return complain(files, "wait: no job %s", argv[1]);
        int status = job_wait(job);
        jobs_notice(false);
        return status;
    }
    for (struct job *job; (job = job_find(0)) != NULL; jobs_notice(false))
        job_wait(job);
    return 0;
}

static int run_source(int argc, char **argv, const int files[3])
{
    if (argc < 2)
        return complain(files, "%s: which file?", argv[0]);
    return run_file(argv[1]) == 0 ? shell.status : 1;
}

static int run_nothing(int argc, char **argv, const int files[3])
{
    (void)argc, (void)argv, (void)files;
    return 0;
}

static int run_help(int argc, char **argv, const int files[3]);

static const struct builtin builtins[] = {
    {"cd", run_cd, "[FOLDER]       go to a folder"},
    {"pwd", run_pwd, "              print the current folder"},
    {"exit", run_exit, "[STATUS]       end the shell"},
    {"export", run_export, "NAME[=VALUE] … hand variables to programs"},
    {"unset", run_unset, "NAME …         forget variables"},
    {"set", run_set, "              print all variables"},
    {"jobs", run_jobs, "              print what runs in the background"},
    {"wait", run_wait, "[JOB]          wait for a job, or for all"},
    {"source", run_source, "FILE           run the commands in a file"},
    {":", run_nothing, "              do nothing"},
    {"help", run_help, "              print this"},
};

static int run_help(int argc, char **argv, const int files[3])
{
    (void)argc, (void)argv;
    dprintf(files[1],
            "PROGRAM [ARGUMENT …] runs a program of /bin (ls /bin); PROGRAM --help tells more.\n"
            "  a | b      a's output is b's input     a &       in the background\n"
            "  a > FILE   output to a file            a >> FILE at its end\n"
            "  a < FILE   input from a file           a 2> FILE errors; 2>&1: with the output\n"
            "  a && b     b if a succeeded            a || b    b if a failed\n"
            "  NAME=VALUE a variable; $NAME, ${NAME}, $? (status), $! (pid), '…' and \"…\" quote\n"
            "Commands of the shell itself:\n");
    for (u32 i = 0; i < ARRAY_SIZE(builtins); i++)
        dprintf(files[1], "  %-7s %s\n", builtins[i].name, builtins[i].help);
    return 0;
}

builtin_function builtin_find(const char *name)
{
    for (u32 i = 0; i < ARRAY_SIZE(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].function;
    return NULL;
}
