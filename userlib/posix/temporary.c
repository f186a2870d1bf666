// SPDX-License-Identifier: MIT
// Files and directories with names of their own. newlib would make them of the process's number,
// and no directories; what it has in one source with that is all here.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/time.h>

#define MARKS 6       // X at the least
#define TRIES_MAX 100 // names that are there already

// Makes one with this name. Returns < 0 and errno if it cannot.
typedef int (*maker)(const char *path, int flags);

static int make_file(const char *path, int flags)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | flags, S_IRUSR | S_IWUSR);
}

static int make_directory(const char *path, int flags)
{
    (void)flags;
    return mkdir(path, S_IRWXU);
}

static int make_nothing(const char *path, int flags)
{
    struct stat info;
    (void)flags;
    if (stat(path, &info) == 0)
        errno = EEXIST;
    return errno == ENOENT ? 0 : -1;
}

// Differs from process to process, and from call to call.
static u64 next_number(void)
{
    static u64 calls;
    u64 number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return (time_now() ^ (u64)getpid() << 40) * 0x9e3779b97f4a7c15 + number * 0x5851f42d4c957f2d;
}

static void fill_in(char *marks, u64 count, u64 number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (u64 i = 0; i < count; i++, number /= sizeof(letters) - 1)
        marks[i] = letters[number % (sizeof(letters) - 1)];
}

static int make(char *path, int behind, int flags, maker maker)
{
    u64 bytes = strlen(path);
    int result = -1;
    if (behind < 0 || bytes < (u64)behind + MARKS ||
        strspn(path + bytes - (u64)behind - MARKS, "X") < MARKS) {
        errno = EINVAL;
        return -1;
    }
    for (u32 i = 0; i < TRIES_MAX && result < 0 && (i == 0 || errno == EEXIST); i++) {
        fill_in(path + bytes - (u64)behind - MARKS, MARKS, next_number() >> 20);
        result = maker(path, flags);
    }
    return result;
}

int mkstemp(char *path)
{
    return make(path, 0, 0, make_file);
}

int mkstemps(char *path, int behind)
{
    return make(path, behind, 0, make_file);
}

int mkostemp(char *path, int flags)
{
    return make(path, 0, flags, make_file);
}

int mkostemps(char *path, int behind, int flags)
{
    return make(path, behind, flags, make_file);
}

char *mkdtemp(char *path)
{
    return make(path, 0, 0, make_directory) < 0 ? NULL : path;
}

char *mktemp(char *path)
{
    if (make(path, 0, 0, make_nothing) < 0)
        *path = '\0';
    return path;
}
