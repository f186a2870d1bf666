// SPDX-License-Identifier: MIT
// Finds a program in the folders of PATH, and starts it with a command's words, files and
// assignments.
#include "jobs.h"
#include "launch.h"
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

// Looks for a program in the folders of PATH. Puts its path into path. Returns false if there is
// none.
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

// Starts the program. Assignments before a command go only into its environment. Returns its pid or
// an error.
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
    for (u32 i = 0; i < added; i++) // first, so that getenv finds them before the others
        environment[i] = launch_expand_one(launch, command->words[i]);
    for (u32 i = 0; i < count; i++)
        environment[added + i] = environ[i];
    spawn->envp = environment;
    s64 pid = posix_spawn_program(spawn, fds, 3, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

int program_start(struct launch *launch, struct job *job)
{
    static u32 turn; // processes go to the CPUs in turn: those of a pipeline run side by side
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
    spawn.cpu = ++turn % user_cpu_count();
    s64 pid = spawn_with_assignments(launch, &spawn, fds);
    if (pid < 0) {
        fprintf(stderr, "sh: %s: %s\n", name, orrery_strerror(pid));
        return STATUS_NOT_RUN;
    }
    job_add(job, (u32)pid);
    return 0;
}
