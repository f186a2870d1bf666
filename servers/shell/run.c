// SPDX-License-Identifier: MIT
// A pipeline: words are expanded, files opened, processes started with them, and waited for.
#include "run.h"

#include "builtins.h"
#include "expand.h"
#include "jobs.h"
#include "variables.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/process.h>
#include <user/scheduler.h>

#define STATUS_ERROR 1
#define STATUS_SYNTAX 2
#define STATUS_NOT_RUN 126
#define STATUS_NOT_FOUND 127
#define DEFAULT_PATH "/bin"
#define PATH_BYTES 1024
#define FILE_MAX (1024 * 1024) // of a script
#define NO_FILE (-1)

struct shell shell;

// One command of a pipeline on its way.
struct launch {
    struct arena *arena;
    const struct command *command;
    struct fields fields;
    int files[3];   // to be the process's 0, 1, 2
    bool opened[3]; // by us: to be closed
};

// ---- expansion ---------------------------------------------------------------------------------

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

static s64 expand_words(struct launch *launch)
{
    const struct expander expander = {.arena = launch->arena, .lookup = lookup};
    const struct command *command = launch->command;
    s64 error = 0;

    for (u32 i = command->assignment_count; i < command->word_count && error == 0; i++)
        error = expand_word(&expander, command->words[i], &launch->fields);
    return error;
}

static char *expand_one(struct launch *launch, const char *word)
{
    const struct expander expander = {.arena = launch->arena, .lookup = lookup};
    return expand_text(&expander, word);
}

// ---- redirections ------------------------------------------------------------------------------

static void use_file(struct launch *launch, int which, int file, bool opened)
{
    if (launch->opened[which])
        close(launch->files[which]);
    launch->files[which] = file;
    launch->opened[which] = opened;
}

static void close_files(struct launch *launch)
{
    for (int i = 0; i < 3; i++)
        use_file(launch, i, NO_FILE, false);
}

static int open_redirect(struct launch *launch, const struct redirect *redirect)
{
    static const int flags[] = {[REDIRECT_IN] = O_RDONLY,
                                [REDIRECT_OUT] = O_WRONLY | O_CREAT | O_TRUNC,
                                [REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND};

    if (redirect->kind == REDIRECT_SAME)
        return dup(launch->files[1]);
    char *path = expand_one(launch, redirect->word);
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
        use_file(launch, redirect->file, file, true);
    }
    return true;
}

// ---- programs ----------------------------------------------------------------------------------

// Tries the folders of PATH; *path is what was found.
static bool find_program(const char *name, char *path)
{
    const char *folders = variable_get("PATH");
    struct stat info;

    if (strchr(name, '/') != NULL) {
        snprintf(path, PATH_BYTES, "%s", name);
        return stat(path, &info) == 0;
    }
    for (folders = folders == NULL ? DEFAULT_PATH : folders; *folders != 0;) {
        u64 length = strcspn(folders, ":");
        int total = snprintf(path, PATH_BYTES, "%.*s/%s", (int)length, folders, name);
        if (total < PATH_BYTES && stat(path, &info) == 0 && S_ISREG(info.st_mode))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

static int tell_not_run(const char *name, s64 error)
{
    fprintf(stderr, "sh: %s: %s\n", name, orrery_strerror(error));
    return STATUS_NOT_RUN;
}

// Assignments before a command are for its environment only.
static s64 spawn_with_assignments(struct launch *launch, struct process_spawn *spawn,
                                  const struct posix_spawn_fd fds[3])
{
    extern char **environ;
    const struct command *command = launch->command;
    u32 count = 0, added = command->assignment_count;
    cap_t process;

    while (environ != NULL && environ[count] != NULL)
        count++;
    const char **environment = arena_alloc(launch->arena, (count + added + 1) * sizeof(char *));
    if (environment == NULL)
        return E_NOMEM;
    for (u32 i = 0; i < added; i++) // first: getenv finds them before the others
        environment[i] = expand_one(launch, command->words[i]);
    for (u32 i = 0; i < count; i++)
        environment[added + i] = environ[i];
    spawn->envp = environment;
    s64 pid = posix_spawn_program(spawn, fds, 3, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

// Processes go to the CPUs in turn, so that those of a pipeline run side by side.
static u32 next_cpu(void)
{
    static u32 turn;
    return ++turn % user_cpu_count();
}

// Starts a command as a process of job: 0, or an exit status.
static int start_program(struct launch *launch, struct job *job)
{
    char path[PATH_BYTES];
    const char *name = launch->fields.words[0];
    struct process_spawn spawn = PROCESS_SPAWN;
    const struct posix_spawn_fd fds[3] = {
        {0, launch->files[0]}, {1, launch->files[1]}, {2, launch->files[2]}};

    if (!find_program(name, path)) {
        fprintf(stderr, "sh: %s: not found\n", name);
        return STATUS_NOT_FOUND;
    }
    spawn.path = path;
    spawn.argv = (const char *const *)launch->fields.words;
    spawn.rights = PROCESS_SAME_RIGHTS;
    spawn.cpu = next_cpu();
    s64 pid = spawn_with_assignments(launch, &spawn, fds);
    if (pid < 0)
        return tell_not_run(name, pid);
    job_add(job, (u32)pid);
    return 0;
}

// ---- commands ----------------------------------------------------------------------------------

static int assign(struct launch *launch)
{
    const struct command *command = launch->command;

    for (u32 i = 0; i < command->assignment_count; i++) {
        char *word = expand_one(launch, command->words[i]);
        char *value = word == NULL ? NULL : strchr(word, '=');
        if (value == NULL)
            return STATUS_ERROR;
        *value++ = 0;
        if (variable_set(word, value) != 0)
            return STATUS_ERROR;
    }
    return 0;
}

// Words and files of a command: 0, or an exit status.
static int prepare(struct launch *launch)
{
    s64 error = expand_words(launch);
    if (error != 0) {
        fprintf(stderr, "sh: %s\n", error == E_PROTO ? "bad ${…}" : orrery_strerror(error));
        return STATUS_SYNTAX;
    }
    return redirect_all(launch) ? 0 : STATUS_ERROR;
}

static void launch_begin(struct launch *launch, struct arena *arena, const struct command *command)
{
    memset(launch, 0, sizeof(*launch));
    launch->arena = arena;
    launch->command = command;
    for (int i = 0; i < 3; i++)
        launch->files[i] = i;
}

// The next command's input is what this one writes. False: no pipe (told).
static bool make_pipe(struct launch *launch, int *next_input)
{
    int ends[2];

    if (pipe(ends) != 0) {
        fprintf(stderr, "sh: pipe: %s\n", strerror(errno));
        return false;
    }
    use_file(launch, 1, ends[1], true);
    *next_input = ends[0];
    return true;
}

// Starts one command of several. input: its descriptor 0, now ours to close.
static int start_in_pipeline(struct arena *arena, const struct command *command, struct job *job,
                             int input, int *next_input)
{
    struct launch *launch = arena_alloc(arena, sizeof(*launch));
    int status = STATUS_ERROR;

    if (launch == NULL)
        return STATUS_ERROR;
    launch_begin(launch, arena, command);
    if (input != NO_FILE)
        use_file(launch, 0, input, true);
    if (next_input == NULL || make_pipe(launch, next_input))
        status = prepare(launch);
    if (status == 0 && launch->fields.count > 0) {
        if (builtin_find(launch->fields.words[0]) != NULL) {
            fprintf(stderr, "sh: %s cannot be part of a pipeline\n", launch->fields.words[0]);
            status = STATUS_ERROR;
        } else {
            status = start_program(launch, job);
        }
    }
    close_files(launch);
    return status;
}

// Status of the last command, or 0 when it was started.
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

// A command that the shell carries out itself: true, and *status.
static bool run_here(struct arena *arena, const struct pipeline *pipeline, int *status)
{
    const struct command *command = &pipeline->commands[0];
    struct launch *launch = arena_alloc(arena, sizeof(*launch));

    *status = STATUS_ERROR;
    if (launch == NULL)
        return true;
    launch_begin(launch, arena, command);
    *status = expand_words(launch) == 0 ? 0 : STATUS_SYNTAX;
    bool none = launch->fields.count == 0;
    builtin_function builtin = none ? NULL : builtin_find(launch->fields.words[0]);
    if (*status == 0 && !none && builtin == NULL)
        return false;
    launch->fields.count = 0;
    *status = prepare(launch);
    if (*status == 0)
        *status = none ? assign(launch)
                       : builtin((int)launch->fields.count, launch->fields.words, launch->files);
    close_files(launch);
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

// The whole file, NUL-terminated, or NULL with errno.
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
