// SPDX-License-Identifier: MIT
// Names: creating, removing, renaming; paths of all forms; files that live on without a name.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ssize_t written = write(fd, text, strlen(text));
    close(fd);
    return fd >= 0 && written == (ssize_t)strlen(text);
}

static int holds(const char *path, const char *text)
{
    char data[64];
    int fd = open(path, O_RDONLY);
    ssize_t bytes = read(fd, data, sizeof(data));
    close(fd);
    return bytes == (ssize_t)strlen(text) && memcmp(data, text, strlen(text)) == 0;
}

static void creating(void)
{
    EXPECT(make("/tmp/one", "1"));
    EXPECT_ERROR(open("/tmp/one", O_WRONLY | O_CREAT | O_EXCL, 0644), EEXIST);
    EXPECT_ERROR(open("/tmp/none", O_RDONLY), ENOENT);
    EXPECT_ERROR(open("/tmp/none/deeper", O_RDONLY), ENOENT);
    EXPECT_ERROR(open("/tmp/one/deeper", O_RDONLY), ENOTDIR);
    EXPECT_ERROR(open("/tmp/one", O_RDONLY | O_DIRECTORY), ENOTDIR);
    EXPECT_ERROR(open("/tmp", O_WRONLY), EISDIR);
    EXPECT_ERROR(open("", O_RDONLY), ENOENT);
    EXPECT(access("/tmp/one", R_OK | W_OK) == 0);
    EXPECT_ERROR(access("/bin/init", W_OK), EACCES);
    EXPECT_ERROR(unlink("/bin/init"), EACCES);
    EXPECT_ERROR(rename("/bin/init", "/tmp/init"), EACCES);
    EXPECT_ERROR(rename("/tmp/one", "/bin/init"), EACCES);
    EXPECT_ERROR(rename("/tmp", "/temporary"), EACCES);
    EXPECT_ERROR(rename("/tmp/one", "/proc/one"), EXDEV);
    EXPECT(unlink("/tmp/one") == 0);
    EXPECT_ERROR(unlink("/tmp/one"), ENOENT);
}

static void paths(void)
{
    char name[1100];
    EXPECT(make("/tmp/.././tmp//path", "x"));
    EXPECT(holds("/tmp/path", "x"));
    EXPECT(holds("/../../tmp/path", "x"));
    EXPECT(chdir("/tmp") == 0);
    EXPECT(holds("path", "x") && holds("./path", "x") && holds("../tmp/path", "x"));
    EXPECT(getcwd(name, sizeof(name)) != NULL && strcmp(name, "/tmp") == 0);
    EXPECT(getcwd(name, 4) == NULL && errno == ERANGE);
    EXPECT_ERROR(chdir("path"), ENOTDIR);
    EXPECT_ERROR(chdir("nowhere"), ENOENT);
    EXPECT(chdir("..") == 0 && getcwd(name, sizeof(name)) != NULL && strcmp(name, "/") == 0);
    EXPECT(unlink("tmp/path") == 0);

    memset(name, 'n', sizeof(name));
    memcpy(name, "/tmp/", 5);
    name[5 + 255] = '\0';
    EXPECT(make(name, "longest") && holds(name, "longest") && unlink(name) == 0);
    name[5 + 255] = 'n';
    name[5 + 256] = '\0';
    EXPECT(open(name, O_WRONLY | O_CREAT, 0644) < 0);
    name[5 + 256] = 'n';
    name[sizeof(name) - 1] = '\0';
    EXPECT(open(name, O_WRONLY | O_CREAT, 0644) < 0);
}

static void renaming(void)
{
    EXPECT(make("/tmp/from", "from") && make("/tmp/to", "to"));
    EXPECT(rename("/tmp/from", "/tmp/to") == 0 && holds("/tmp/to", "from"));
    EXPECT_ERROR(open("/tmp/from", O_RDONLY), ENOENT);
    EXPECT_ERROR(rename("/tmp/from", "/tmp/other"), ENOENT);
    EXPECT(rename("/tmp/to", "/tmp/to") == 0 && holds("/tmp/to", "from"));
    EXPECT(mkdir("/tmp/dir", 0755) == 0);
    EXPECT_ERROR(rename("/tmp/to", "/tmp/dir"), EISDIR);
    EXPECT_ERROR(rename("/tmp/dir", "/tmp/to"), ENOTDIR);
    EXPECT_ERROR(rename("/tmp/dir", "/tmp/dir/inside"), EINVAL);
    EXPECT(rename("/tmp/to", "/tmp/dir/moved") == 0 && holds("/tmp/dir/moved", "from"));
    EXPECT(rename("/tmp/dir", "/tmp/folder") == 0 && holds("/tmp/folder/moved", "from"));
    EXPECT_ERROR(rmdir("/tmp/folder"), ENOTEMPTY);
    EXPECT(unlink("/tmp/folder/moved") == 0 && rmdir("/tmp/folder") == 0);
}

static void nameless(void)
{
    char data[8];
    struct stat info;
    EXPECT(make("/tmp/open", "still"));
    int fd = open("/tmp/open", O_RDWR);
    EXPECT(unlink("/tmp/open") == 0);
    EXPECT(read(fd, data, sizeof(data)) == 5 && memcmp(data, "still", 5) == 0);
    EXPECT(write(fd, "!", 1) == 1 && fstat(fd, &info) == 0 && info.st_size == 6);
    EXPECT(info.st_nlink == 0);
    EXPECT(make("/tmp/open", "new") && holds("/tmp/open", "new"));
    EXPECT(pread(fd, data, sizeof(data), 0) == 6 && memcmp(data, "still!", 6) == 0);
    close(fd);
    EXPECT(unlink("/tmp/open") == 0);
}

void test_names(void)
{
    creating();
    paths();
    renaming();
    nameless();
}
