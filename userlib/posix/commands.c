// SPDX-License-Identifier: MIT
// Texts that the shell runs: system, popen, pclose.
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/lock.h>

#define SHELL "/bin/sh"
#define NOT_STARTED (127 << 8) // what the shell says of a command that is not there

struct stream {
    FILE *file;
    pid_t shell;
    struct stream *next;
};

static struct mutex streams_lock;
static struct stream *streams;

// Starts the shell with what is open of 0 … 2. fd instead: from parent, or -1. Returns its pid or
// -errno.
static s64 start(const char *command, int fd, int parent)
{
    struct posix_spawn_fd fds[3];
    u32 count = 0;
    for (int i = 0; i < 3; i++) {
        int from = i == fd ? parent : i;
        if (fd_get_flag(from) >= 0)
            fds[count++] = (struct posix_spawn_fd){i, from};
    }
    struct process_spawn spawn = PROCESS_SPAWN;
    spawn.path = SHELL;
    spawn.argv = (const char *const[]){"sh", "-c", command, NULL};
    spawn.rights = PROCESS_SAME_RIGHTS;
    cap_t process;
    s64 pid = posix_spawn_program(&spawn, fds, count, &process);
    if (pid < 0)
        return -posix_errno(pid);
    sys_cap_drop(process);
    return pid;
}

int system(const char *command)
{
    int status;
    if (command == NULL)
        return access(SHELL, F_OK) == 0;
    s64 pid = start(command, -1, -1);
    if (pid == -ENOENT)
        return NOT_STARTED;
    if (pid < 0)
        return (int)posix_result(pid);
    return waitpid((pid_t)pid, &status, 0) < 0 ? -1 : status;
}

// Makes the stream's file from one end of a pipe, and the shell with the other.
static bool connect(struct stream *stream, const char *command, bool reads)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    int mine = ends[reads ? 0 : 1], theirs = ends[reads ? 1 : 0];
    stream->file = fdopen(mine, reads ? "r" : "w");
    s64 pid = stream->file == NULL ? -errno : start(command, reads ? 1 : 0, theirs);
    close(theirs);
    if (pid < 0) {
        if (stream->file == NULL)
            close(mine);
        else
            fclose(stream->file);
        errno = (int)-pid;
        return false;
    }
    stream->shell = (pid_t)pid;
    return true;
}

FILE *popen(const char *command, const char *how)
{
    bool closes = strcmp(how, "re") == 0 || strcmp(how, "we") == 0;
    if (!closes && strcmp(how, "r") != 0 && strcmp(how, "w") != 0) {
        errno = EINVAL;
        return NULL;
    }
    struct stream *stream = malloc(sizeof(*stream));
    if (stream == NULL)
        return NULL;
    if (!connect(stream, command, how[0] == 'r')) {
        free(stream);
        return NULL;
    }
    if (closes)
        fcntl(fileno(stream->file), F_SETFD, FD_CLOEXEC);
    mutex_lock(&streams_lock);
    stream->next = streams;
    streams = stream;
    mutex_unlock(&streams_lock);
    return stream->file;
}

// Returns the stream of a file, which is no longer in the list; NULL: it has none.
static struct stream *take_stream(const FILE *file)
{
    mutex_lock(&streams_lock);
    struct stream **link = &streams;
    while (*link != NULL && (*link)->file != file)
        link = &(*link)->next;
    struct stream *found = *link;
    if (found != NULL)
        *link = found->next;
    mutex_unlock(&streams_lock);
    return found;
}

int pclose(FILE *file)
{
    struct stream *stream = take_stream(file);
    int status;
    if (stream == NULL) {
        errno = ECHILD;
        return -1;
    }
    fclose(file);
    pid_t ended = waitpid(stream->shell, &status, 0);
    free(stream);
    return ended < 0 ? -1 : status;
}
