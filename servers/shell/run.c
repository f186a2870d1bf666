// SPDX-License-Identifier: MIT
// Runs texts and files of commands, pipeline by pipeline. A pipeline runs in the shell itself, or
// as processes that are started and waited for.
#include "run.h"

#include "builtins.h"
#include "jobs.h"
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (1024 * 1024) // bytes of a script

struct shell shell;

// ---- pipelines ---------------------------------------------------------------------------------

// Connects this command's output to *next_input, the input of the next one. Returns false if there
// is no pipe, after printing the error.
static bool make_pipe(struct launch *launch, int *next_input)
{
    int ends[2];

    if (pipe(ends) != 0) {
        fprintf(stderr, "sh: pipe: %s\n", strerror(errno));
        return false;
    }
    launch_use_file(launch, 1, ends[1], true);
    *next_input = ends[0];
    return true;
}

// Starts one command of a pipeline. input: its descriptor 0, which this closes, or NO_FILE.
// next_input: NULL for the last command. Returns 0 or an exit status.
static int start_in_pipeline(struct arena *arena, const struct command *command, struct job *job,
                             int input, int *next_input)
{
    struct launch *launch = arena_alloc(arena, sizeof(*launch));
    int status = STATUS_ERROR;

    if (launch == NULL)
        return STATUS_ERROR;
    launch_begin(launch, arena, command);
    if (input != NO_FILE)
        launch_use_file(launch, 0, input, true);
    if (next_input == NULL || make_pipe(launch, next_input))
        status = launch_prepare(launch);
    if (status == 0 && launch->fields.count > 0) {
        if (builtin_find(launch->fields.words[0]) != NULL) {
            fprintf(stderr, "sh: %s cannot be part of a pipeline\n", launch->fields.words[0]);
            status = STATUS_ERROR;
        } else {
            status = program_start(launch, job);
        }
    }
    launch_close(launch);
    return status;
}

// Starts all commands of a pipeline. Returns the last one's exit status, or 0 if it was started.
static int start_all(struct arena *arena, const struct pipeline *pipeline, struct job *job)
{
    int input = NO_FILE;
    int status = 0;

    for (u32 i = 0; i < pipeline->count; i++) {
        int next = NO_FILE;
        bool last = i + 1 == pipeline->count;
        status = start_in_pipeline(arena, &pipeline->commands[i], job, input, last ? NULL : &next);
        input = next;
    }
    return status;
}

static int run_processes(struct arena *arena, const struct pipeline *pipeline)
{
    struct job *job = job_new(pipeline->text, pipeline->background);
    if (job == NULL) {
        fprintf(stderr, "sh: too many jobs\n");
        return STATUS_NOT_RUN;
    }
    int status = start_all(arena, pipeline, job);
    if (pipeline->background && job->running > 0) {
        shell.last_pid = job->pids[job->count - 1];
        if (shell.interactive)
            fprintf(stderr, "[%u] %u\n", job->number, shell.last_pid);
        return 0;
    }
    int waited = job_wait(job);
    job_free(job);
    return status != 0 ? status : waited;
}

// Runs a builtin or a command of assignments in the shell itself, and sets *status. Returns false
// if the command is a program.
static bool run_here(struct arena *arena, const struct pipeline *pipeline, int *status)
{
    const struct command *command = &pipeline->commands[0];
    struct launch *launch = arena_alloc(arena, sizeof(*launch));

    *status = STATUS_ERROR;
    if (launch == NULL)
        return true;
    launch_begin(launch, arena, command);
    *status = launch_expand(launch) == 0 ? 0 : STATUS_SYNTAX;
    bool none = launch->fields.count == 0;
    builtin_function builtin = none ? NULL : builtin_find(launch->fields.words[0]);
    if (*status == 0 && !none && builtin == NULL)
        return false;
    launch->fields.count = 0;
    *status = launch_prepare(launch);
    if (*status == 0)
        *status = none ? launch_assign(launch)
                       : builtin((int)launch->fields.count, launch->fields.words, launch->files);
    launch_close(launch);
    return true;
}

static void run_pipeline(struct arena *arena, const struct pipeline *pipeline)
{
    int status;

    if ((pipeline->when == WHEN_SUCCEEDED && shell.status != 0) ||
        (pipeline->when == WHEN_FAILED && shell.status == 0))
        return;
    bool alone = pipeline->count == 1 && !pipeline->background;
    if (!alone || !run_here(arena, pipeline, &status))
        status = run_processes(arena, pipeline);
    shell.status = status;
}

// ---- texts -------------------------------------------------------------------------------------

bool run_text(const char *text)
{
    struct arena arena = {0};
    struct pipeline *list;
    const char *message;

    s64 error = parse(&arena, text, &list, &message);
    if (error == E_AGAIN) {
        arena_free(&arena);
        return false;
    }
    if (error != 0) {
        fprintf(stderr, "sh: %s\n", message[0] != 0 ? message : orrery_strerror(error));
        shell.status = STATUS_SYNTAX;
    }
    for (; list != NULL && !shell.exiting; list = list->next)
        run_pipeline(&arena, list);
    arena_free(&arena);
    return true;
}

void run_whole_text(const char *text)
{
    if (run_text(text))
        return;
    fprintf(stderr, "sh: something is missing at the end\n");
    shell.status = STATUS_SYNTAX;
}

// Reads a whole file. Returns its text with a NUL, or NULL with errno.
static char *read_whole(int file)
{
    char *text = malloc(FILE_MAX + 1);
    u64 length = 0;

    if (text == NULL)
        return NULL;
    for (;;) {
        ssize_t got = read(file, text + length, FILE_MAX - length);
        if (got < 0) {
            free(text);
            return NULL;
        }
        if (got == 0)
            break;
        length += (u64)got;
    }
    text[length] = 0;
    return text;
}

int run_file(const char *path)
{
    int file = open(path, O_RDONLY);
    char *text = file < 0 ? NULL : read_whole(file);

    if (text == NULL)
        fprintf(stderr, "sh: %s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (text == NULL)
        return -1;
    run_whole_text(text);
    free(text);
    return 0;
}
