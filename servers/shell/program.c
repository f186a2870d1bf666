// SPDX-License-Identifier: MIT
// A program is found in the folders of PATH, and started with a command's words,
// files and assignments.
#include "program.h"

#include "run.h"
#include "variables.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <user/process.h>
#include <user/scheduler.h>

#define DEFAULT_PATH "/bin"
#define PATH_BYTES 1024

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
        environment[i] = launch_expand_one(launch, command->words[i]);
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

int program_start(struct launch *launch, struct job *job)
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
