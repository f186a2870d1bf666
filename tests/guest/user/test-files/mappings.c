// SPDX-License-Identifier: MIT
// Files in memory: private and shared mappings show the contents, and follow what is written.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <user/thread.h>

#define PAGE 4096
#define PATH "/tmp/mapped"

static void private_mapping(void)
{
    char data[2 * PAGE + 100];
    memset(data, 'a', sizeof(data));
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(write(fd, data, sizeof(data)) == sizeof(data));
    char *map = mmap(NULL, sizeof(data), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    EXPECT(map != MAP_FAILED);
    if (map == MAP_FAILED)
        return;
    EXPECT(memcmp(map, data, sizeof(data)) == 0);
    EXPECT(map[sizeof(data)] == 0); // the rest of the last page
    map[10] = 'x';
    EXPECT(pread(fd, data, 20, 0) == 20 && data[10] == 'a');
    EXPECT(munmap(map, sizeof(data)) == 0);
    map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE);
    EXPECT(map != MAP_FAILED && map[0] == 'a');
    EXPECT(pwrite(fd, "new", 3, PAGE) == 3);
    EXPECT(memcmp(map, "newa", 4) == 0);
    EXPECT(munmap(map, PAGE) == 0);
    EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 1) == MAP_FAILED && errno == EINVAL);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

static void shared_mapping(void)
{
    char data[PAGE];
    memset(data, 's', sizeof(data));
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(write(fd, data, sizeof(data)) == sizeof(data));
    char *first = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    char *second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT(first != MAP_FAILED && second != MAP_FAILED);
    if (first == MAP_FAILED || second == MAP_FAILED)
        return;
    EXPECT(first[100] == 's' && second[100] == 's');
    EXPECT(pwrite(fd, "shared", 6, 100) == 6);
    EXPECT(memcmp(first + 98, "ssshareds", 9) == 0 && memcmp(second + 98, "ssshareds", 9) == 0);
    EXPECT(munmap(first, PAGE) == 0 && munmap(second, PAGE) == 0);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

static void anonymous(void)
{
    char *map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(map != MAP_FAILED);
    if (map == MAP_FAILED)
        return;
    EXPECT(map[0] == 0 && map[3 * PAGE - 1] == 0);
    map[PAGE] = 1;
    EXPECT(mprotect(map, PAGE, PROT_READ) == 0 && munmap(map, 3 * PAGE) == 0);
    EXPECT(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    EXPECT(mmap(NULL, PAGE, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
           MAP_FAILED);
}

void test_mappings(void)
{
    private_mapping();
    shared_mapping();
    anonymous();
}
