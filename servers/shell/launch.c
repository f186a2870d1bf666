// SPDX-License-Identifier: MIT
// Expands a command's words, and opens its files in the order of its redirections.
#include "launch.h"

#include "run.h"
#include "variables.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <orrery/process.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void launch_begin(struct launch *launch, struct arena *arena, const struct command *command)
{
    memset(launch, 0, sizeof(*launch));
    launch->arena = arena;
    launch->command = command;
    for (int i = 0; i < 3; i++)
        launch->files[i] = i;
}

// ---- words -------------------------------------------------------------------------------------

static const char *number_text(s64 value)
{
    static char text[24];
    snprintf(text, sizeof(text), "%ld", (long)value);
    return text;
}

static const char *lookup(void *context, const char *name)
{
    (void)context;
    if (name[0] >= '0' && name[0] <= '9')
        return name[0] - '0' <= shell.argument_count ? shell.arguments[name[0] - '0'] : NULL;
    switch (name[0]) {
    case '?':
        return number_text(shell.status);
    case '$':
        return number_text(sys_process_pid(0));
    case '!':
        return number_text(shell.last_pid);
    case '#':
        return number_text(shell.argument_count);
    default:
        return variable_get(name);
    }
}

s64 launch_expand(struct launch *launch)
{
    const struct expander expander = {.arena = launch->arena, .lookup = lookup};
    const struct command *command = launch->command;
    s64 error = 0;

    for (u32 i = command->assignment_count; i < command->word_count && error == 0; i++)
        error = expand_word(&expander, command->words[i], &launch->fields);
    return error;
}

char *launch_expand_one(struct launch *launch, const char *word)
{
    const struct expander expander = {.arena = launch->arena, .lookup = lookup};
    return expand_text(&expander, word);
}

int launch_assign(struct launch *launch)
{
    const struct command *command = launch->command;

    for (u32 i = 0; i < command->assignment_count; i++) {
        char *word = launch_expand_one(launch, command->words[i]);
        char *value = word == NULL ? NULL : strchr(word, '=');
        if (value == NULL)
            return STATUS_ERROR;
        *value++ = 0;
        if (variable_set(word, value) != 0)
            return STATUS_ERROR;
    }
    return 0;
}

// ---- files -------------------------------------------------------------------------------------

void launch_use_file(struct launch *launch, int which, int file, bool opened)
{
    if (launch->opened[which])
        close(launch->files[which]);
    launch->files[which] = file;
    launch->opened[which] = opened;
}

void launch_close(struct launch *launch)
{
    for (int i = 0; i < 3; i++)
        launch_use_file(launch, i, NO_FILE, false);
}

static int open_redirect(struct launch *launch, const struct redirect *redirect)
{
    static const int flags[] = {[REDIRECT_IN] = O_RDONLY,
                                [REDIRECT_OUT] = O_WRONLY | O_CREAT | O_TRUNC,
                                [REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND};

    if (redirect->kind == REDIRECT_SAME)
        return dup(launch->files[1]);
    char *path = launch_expand_one(launch, redirect->word);
    if (path == NULL) {
        errno = ENOMEM;
        return NO_FILE;
    }
    int file = open(path, flags[redirect->kind], 0666);
    if (file < 0)
        fprintf(stderr, "sh: %s: %s\n", path, strerror(errno));
    return file;
}

static bool redirect_all(struct launch *launch)
{
    const struct redirect *redirect = launch->command->redirects;

    for (; redirect != NULL; redirect = redirect->next) {
        int file = open_redirect(launch, redirect);
        if (file < 0)
            return false;
        launch_use_file(launch, redirect->file, file, true);
    }
    return true;
}

int launch_prepare(struct launch *launch)
{
    s64 error = launch_expand(launch);
    if (error != 0) {
        fprintf(stderr, "sh: %s\n", error == E_PROTO ? "bad ${…}" : orrery_strerror(error));
        return STATUS_SYNTAX;
    }
    return redirect_all(launch) ? 0 : STATUS_ERROR;
}
