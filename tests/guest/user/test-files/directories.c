// SPDX-License-Identifier: MIT
// Directories: listings that are complete, also long ones and such that change meanwhile.
#include "tests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANY 700 // more than one message holds

static int count(const char *path, const char *name)
{
    int entries = 0;
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        entries += name == NULL || strcmp(entry->d_name, name) == 0;
    closedir(directory);
    return entries;
}

static void small(void)
{
    struct stat info;
    EXPECT(mkdir("/tmp/d", 0755) == 0);
    EXPECT_ERROR(mkdir("/tmp/d", 0755), EEXIST);
    EXPECT_ERROR(mkdir("/tmp/none/d", 0755), ENOENT);
    EXPECT(stat("/tmp/d", &info) == 0 && S_ISDIR(info.st_mode));
    EXPECT(count("/tmp/d", NULL) == 0);
    EXPECT(mkdir("/tmp/d/e", 0755) == 0 && count("/tmp/d", "e") == 1);
    EXPECT_ERROR(unlink("/tmp/d"), EISDIR);
    EXPECT_ERROR(rmdir("/tmp/d"), ENOTEMPTY);
    EXPECT(rmdir("/tmp/d/e") == 0 && rmdir("/tmp/d") == 0);
    EXPECT_ERROR(rmdir("/tmp/d"), ENOENT);
    EXPECT(opendir("/tmp/d") == NULL && errno == ENOENT);
    EXPECT(opendir("/bin/init") == NULL && errno == ENOTDIR);
    EXPECT(rmdir("/") < 0);
    EXPECT(count("/", "bin") == 1 && count("/", "tmp") == 1 && count("/bin", "init") == 1);
}

static void large(void)
{
    char name[64];
    int made = 0;
    EXPECT(mkdir("/tmp/many", 0755) == 0);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "/tmp/many/file-with-some-name-%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0644);
        made += fd >= 0;
        close(fd);
    }
    EXPECT(made == MANY);
    EXPECT(count("/tmp/many", NULL) == MANY);
    DIR *directory = opendir("/tmp/many");
    int removed = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        snprintf(name, sizeof(name), "/tmp/many/%s", entry->d_name);
        removed += unlink(name) == 0;
    }
    EXPECT(removed == MANY);
    rewinddir(directory);
    EXPECT(readdir(directory) == NULL);
    closedir(directory);
    EXPECT(rmdir("/tmp/many") == 0);
}

void test_directories(void)
{
    small();
    large();
}
