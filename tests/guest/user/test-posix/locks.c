// SPDX-License-Identifier: MIT
// Record locks of several processes: others are this program, started by main.c's commands. What
// one process sees of its own is in the tables.
#include "locks.h"

#include "rows.h"

#include <errno.h>
#include <expect.h>
#include <fcntl.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/thread.h>

#define PATH "/tmp/posix/shared"
#define MANY 100000
#define DEADLOCK 8 // exit status of who would have waited for itself

static int set(int fd, int command, int type, long start, long bytes)
{
    return fcntl(fd, command,
                 &(struct flock){.l_type = (short)type, .l_start = start, .l_len = bytes});
}

// ---- the other process --------------------------------------------------------------------------

// Whether bytes 10 to 19 can be had: 0 or 1.
static int try(int fd)
{
    return set(fd, F_SETLK, F_WRLCK, 10, 10) == 0 ? 0 : errno == EAGAIN ? 1 : 2;
}

// Has bytes 30 to 34, says so, and waits for 10 to 19.
static int hold(int fd)
{
    if (set(fd, F_SETLK, F_WRLCK, 30, 5) != 0)
        return 2;
    puts("held");
    fflush(stdout);
    if (set(fd, F_SETLKW, F_WRLCK, 10, 10) == 0)
        return 0;
    return errno == EDEADLK ? DEADLOCK : 2;
}

static s64 wait_for_ever(void *argument)
{
    set(*(int *)argument, F_SETLKW, F_WRLCK, 10, 1);
    return 0;
}

// Takes what it gets, and ends while its threads wait.
static int hoard(int fd)
{
    struct thread *thread;
    long count = 0;
    while (count < MANY && set(fd, F_SETLK, F_WRLCK, 100 + 2 * count, 1) == 0)
        count++;
    if (errno != ENOLCK || count < 2 || count == MANY)
        return 2;
    for (int i = 0; i < 40; i++) {
        if (thread_create(&thread, NULL, wait_for_ever, &fd) != 0)
            return 3;
    }
    thread_yield();
    return 0;
}

int locks_command(const char *what)
{
    int fd = open(PATH, O_RDWR);
    if (strcmp(what, "try") == 0)
        return try(fd);
    return strcmp(what, "hold") == 0 ? hold(fd) : hoard(fd);
}

// ---- this one -----------------------------------------------------------------------------------

// Two that wait for each other: one of them is told, whoever came last.
static void somebody_learns_of_a_deadlock(int fd)
{
    char text[8] = "";
    struct flock lock = {.l_type = F_RDLCK, .l_start = 0, .l_len = 0};
    EXPECT(set(fd, F_SETLK, F_WRLCK, 10, 10) == 0);
    FILE *from = popen("test-posix hold", "r");
    EXPECT(from != NULL && fgets(text, sizeof(text), from) != NULL && strcmp(text, "held\n") == 0);
    EXPECT(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK && lock.l_whence == SEEK_SET);
    EXPECT(lock.l_start == 30 && lock.l_len == 5 && lock.l_pid > 0 && lock.l_pid != getpid());
    EXPECT(lseek(fd, 34, SEEK_SET) == 34 && lockf(fd, F_TEST, 1) == -1 && errno == EACCES);
    EXPECT(lseek(fd, 35, SEEK_SET) == 35 && lockf(fd, F_TEST, 1) == 0);
    bool here = set(fd, F_SETLKW, F_WRLCK, 30, 5) != 0;
    EXPECT(!here || errno == EDEADLK);
    EXPECT(set(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
    int status = pclose(from);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == (here ? 0 : DEADLOCK));
    EXPECT(set(fd, F_SETLKW, F_WRLCK, 0, 0) == 0); // what it had has gone with it
    EXPECT(set(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
}

static void close_ends_locks(int fd)
{
    EXPECT(set(fd, F_SETLK, F_WRLCK, 0, 0) == 0 && ran("test-posix try") == 1);
    EXPECT(set(fd, F_SETLK, F_UNLCK, 10, 10) == 0 && ran("test-posix try") == 0);
    EXPECT(set(fd, F_SETLK, F_RDLCK, 19, 1) == 0 && ran("test-posix try") == 1);
    close(dup(fd));
    EXPECT(ran("test-posix try") == 0);
    EXPECT(set(fd, F_SETLK, F_WRLCK, 15, 1) == 0 && ran("test-posix try") == 1);
    close(open(PATH, O_RDONLY));
    EXPECT(ran("test-posix try") == 0);
}

// A process without rights.
static void hoarders_get_their_part(int fd)
{
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;
    int status = -1;
    spawn.path = "/bin/test-posix";
    spawn.argv = (const char *const[]){"test-posix", "hoard", NULL};
    EXPECT(set(fd, F_SETLK, F_WRLCK, 10, 1) == 0);
    s64 pid = posix_spawn_program(&spawn, NULL, 0, &process);
    EXPECT(pid > 0 && waitpid((pid_t)pid, &status, 0) == pid && status == 0);
    EXPECT(set(fd, F_SETLKW, F_WRLCK, 0, 0) == 0);
    EXPECT(set(fd, F_SETLK, F_UNLCK, 0, 0) == 0 && ran("test-posix try") == 0);
}

void locks_of_several(void)
{
    int fd = open(PATH, O_RDWR | O_CREAT, 0644);
    close_ends_locks(fd);
    somebody_learns_of_a_deadlock(fd);
    hoarders_get_their_part(fd);
    close(fd);
}
