// SPDX-License-Identifier: MIT
// What the process was started with.
#include "process.h"

#include <string.h>

extern char **environ;

static const struct process_arguments *arguments;
static char *nothing[] = {NULL};
static char init_name[] = "init";
static char *init_vector[] = {init_name, NULL};

void arguments_begin(u64 block)
{
    const struct process_arguments *given = (const struct process_arguments *)block;
    environ = nothing;
    if (!given || given->magic != PROCESS_ARGUMENTS_MAGIC)
        return;
    arguments = given;
    environ = (char **)given->envp;
}

const struct process_arguments *process_arguments(void)
{
    return arguments;
}

u64 arguments_count(void)
{
    return arguments ? arguments->argc : 1;
}

char **arguments_vector(void)
{
    return arguments ? (char **)arguments->argv : init_vector;
}

u32 process_rights(void)
{
    return arguments ? arguments->rights : RIGHT_ALL;
}

const char *process_name(void)
{
    const char *path = arguments_vector()[0];
    if (!path)
        return "?";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
