// SPDX-License-Identifier: MIT
// Files across processes: inheritance, a shared position, pipelines,
// and ends of those who die with files open.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/thread.h>

#define SELF "/bin/test-files"

// ---- as a child ---------------------------------------------------------------------------------

static int child_copy(void)
{
    char data[256];
    ssize_t bytes;
    while ((bytes = read(0, data, sizeof(data))) > 0) {
        for (ssize_t i = 0; i < bytes; i++)
            data[i] = (char)(data[i] ^ ' ');
        if (write(1, data, (size_t)bytes) != bytes)
            return 1;
    }
    return bytes == 0 ? 0 : 2;
}

int child_main(int argc, char **argv)
{
    char directory[128];
    if (strcmp(argv[1], "copy") == 0)
        return child_copy();
    if (strcmp(argv[1], "answer") == 0)
        return child_answer();
    if (strcmp(argv[1], "map") == 0)
        return child_map();
    if (strcmp(argv[1], "scribble") == 0)
        return child_scribble();
    if (strcmp(argv[1], "lie") == 0)
        return child_lie();
    if (strcmp(argv[1], "eat") == 0)
        return child_eat();
    if (strcmp(argv[1], "greedy") == 0)
        return child_greedy();
    if (strcmp(argv[1], "records") == 0)
        return child_records();
    if (strcmp(argv[1], "write") == 0)
        return write(5, argv[2], strlen(argv[2])) == (ssize_t)strlen(argv[2]) ? 0 : 1;
    if (strcmp(argv[1], "directory") == 0)
        return getcwd(directory, sizeof(directory)) != NULL && strcmp(directory, argv[2]) == 0 ? 7
                                                                                               : 1;
    if (strcmp(argv[1], "none") == 0)
        return write(5, "x", 1) < 0 && errno == EBADF ? 0 : 1;
    if (strcmp(argv[1], "hang") == 0)
        thread_sleep_until(THREAD_FOREVER - 1);
    return argc;
}

// ---- as the parent ------------------------------------------------------------------------------

s64 child_start(const char *what, const char *argument, const struct posix_spawn_fd *fds, u32 count)
{
    const char *argv[] = {"test-files", what, argument, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;
    spawn.path = SELF;
    spawn.argv = argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    s64 pid = posix_spawn_program(&spawn, fds, count, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

// A program that is not there is started with it.
void give_to_server(int fd)
{
    const struct posix_spawn_fd with = {.child = 5, .parent = fd};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;
    spawn.path = "/bin/no-such-program";
    EXPECT(posix_spawn_program(&spawn, &with, 1, &process) < 0);
}

int child_status(s64 pid)
{
    int status = -1;
    return waitpid((pid_t)pid, &status, 0) == (pid_t)pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                              : -1;
}

static void inheritance(void)
{
    char data[16] = {0};
    int fd = open("/tmp/inherited", O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(write(fd, "1", 1) == 1);
    const struct posix_spawn_fd fds[] = {{.child = 5, .parent = fd}, {.child = 1, .parent = 1}};
    EXPECT(child_status(child_start("write", "22", fds, 2)) == 0);
    EXPECT(write(fd, "3", 1) == 1); // behind what the child wrote: one position
    EXPECT(pread(fd, data, sizeof(data), 0) == 4 && memcmp(data, "1223", 4) == 0);
    EXPECT(child_status(child_start("none", "", fds + 1, 1)) == 0);
    const struct posix_spawn_fd wrong = {.child = 0, .parent = 199};
    EXPECT(child_start("none", "", &wrong, 1) == E_INVAL);
    close(fd);
    unlink("/tmp/inherited");
    EXPECT(chdir("/tmp") == 0);
    EXPECT(child_status(child_start("directory", "/tmp", NULL, 0)) == 7);
    EXPECT(chdir("/") == 0);
    EXPECT(child_start("none", "", NULL, 0) > 0 && wait(NULL) > 0);
    EXPECT_ERROR(wait(NULL), ECHILD);
}

static void pipelines(void)
{
    char data[16] = {0};
    int in[2], out[2];
    EXPECT(pipe(in) == 0 && pipe(out) == 0);
    const struct posix_spawn_fd fds[] = {{0, in[0]}, {1, out[1]}, {2, 2}};
    s64 pid = child_start("copy", "", fds, 3);
    EXPECT(pid > 0);
    close(in[0]), close(out[1]);
    EXPECT(write(in[1], "abcXYZ", 6) == 6);
    EXPECT(read(out[0], data, 6) == 6 && memcmp(data, "ABCxyz", 6) == 0);
    close(in[1]);
    EXPECT(read(out[0], data, 6) == 0); // the child saw the end, and ended
    EXPECT(child_status(pid) == 0);
    close(out[0]);
}

// A writer that is killed closes its end all the same.
static void killed(void)
{
    char byte;
    int fds[2], status;
    EXPECT(pipe(fds) == 0);
    const struct posix_spawn_fd with = {.child = 5, .parent = fds[1]};
    s64 pid = child_start("hang", "", &with, 1);
    close(fds[1]);
    thread_sleep_us(50000);
    EXPECT(kill((pid_t)pid, SIGKILL) == 0);
    EXPECT(read(fds[0], &byte, 1) == 0);
    EXPECT(waitpid((pid_t)pid, &status, 0) == (pid_t)pid);
    EXPECT_ERROR(kill((pid_t)pid, SIGKILL), ESRCH);
    close(fds[0]);
}

void test_children(void)
{
    inheritance();
    pipelines();
    killed();
}
