// SPDX-License-Identifier: MIT
// Threads on all CPUs create, write, read, rename and remove files at once.
#include "tests.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define THREADS 8
#define ROUNDS 60

static s64 work(void *argument)
{
    char name[32], other[32], data[5000], back[5000];
    unsigned self = (unsigned)(unsigned long)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        snprintf(name, sizeof(name), "/tmp/storm-%u", self);
        snprintf(other, sizeof(other), "/tmp/storm-%u-%u", self, round);
        memset(data, (int)(self * ROUNDS + round), sizeof(data));
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0644);
        if (fd < 0 || write(fd, data, sizeof(data)) != sizeof(data) || rename(name, other) != 0)
            return 1;
        if (pread(fd, back, sizeof(back), 0) != sizeof(back) ||
            memcmp(data, back, sizeof(data)) != 0)
            return 2;
        if (close(fd) != 0 || unlink(other) != 0)
            return 3;
    }
    return 0;
}

void test_storm(void)
{
    struct thread *threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        EXPECT(thread_create(&threads[i], &attributes, work, (void *)(unsigned long)i) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        s64 result = -1;
        thread_join(threads[i], &result);
        EXPECT(result == 0);
    }
}
