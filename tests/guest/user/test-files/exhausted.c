// SPDX-License-Identifier: MIT
// Memory that has run out: files answer with errors, whoever took the memory, and the fs server
// lives on.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <posix/service.h>
#include <posix/spawn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <user/thread.h>
#include <waiting.h>

#define PAGE 4096
#define CHUNK (1UL << 20)
#define OWN_BYTES (1UL << 16)
#define SLOT_GO 5
#define SLOT_READY 6
#define FILE_PAGES 5 // shared as 8
#define MUCH 100     // uses after which there are no calls
#define GREEDY_FILES 40
#define GREEDY_BYTES (1UL << 24)
#define SINK_BLOCK (1UL << 16)
#define PATH "/tmp/exhausted"
#define SINK "/tmp/sink"

static char block[SINK_BLOCK];

// ---- as a child ---------------------------------------------------------------------------------

static u64 eat(u64 bytes)
{
    struct sys_region region = {.bytes = bytes, .kind = REGION_COMMIT, .prot = PROT_R | PROT_W};
    bool eaten = sys_region_create(0, &region) == 0 &&
                 sys_region_commit(region.address, bytes, region.prot) == 0;
    return eaten ? region.address : 0;
}

static void wait_for_go(void)
{
    char byte;
    read(SLOT_GO, &byte, 1);
}

static _Noreturn void ready(void)
{
    write(SLOT_READY, "r", 1);
    for (;;)
        thread_sleep_until(THREAD_FOREVER);
}

// Takes all memory that a process without rights can have, also what is only given when touched.
int child_eat(void)
{
    struct sys_region region = {
        .bytes = 1UL << 30, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_W};
    wait_for_go();
    u64 own = eat(OWN_BYTES);
    for (u64 bytes = CHUNK; bytes >= PAGE; bytes /= 2) {
        while (eat(bytes) != 0)
            ;
    }
    if (sys_region_create(0, &region) != 0)
        return 1;
    while (sys_info((struct sys_info *)region.address) == 0) // fails instead of ending us
        region.address += PAGE;
    sys_region_destroy(own); // for what we still need ourselves
    ready();
}

// Has many files without pages shared as if they were long, and writes to all of the memory.
int child_greedy(void)
{
    char path[32];
    cap_t server = 0, memory;
    struct fs_stat info;
    struct fs_sharing sharing;
    u64 handle;
    wait_for_go();
    if (service_endpoint(service_get("fs"), THREAD_FOREVER, &server) != 0)
        return 1;
    for (u32 i = 0; i < GREEDY_FILES; i++) {
        snprintf(path, sizeof(path), "/tmp/greedy-%u", (unsigned)i);
        if (fs_open(server, path, FS_READ | FS_WRITE | FS_CREATE, &handle, &info) != 0 ||
            fs_truncate(server, handle, GREEDY_BYTES) != 0)
            break;
        unlink(path);
        if (fs_share(server, handle, 1UL << 40, &sharing, &memory) != 0)
            continue;
        struct sys_region region = {.bytes = sharing.bytes,
                                    .kind = REGION_SHARED,
                                    .prot = PROT_R | PROT_W,
                                    .memory = memory};
        if (sys_region_create(0, &region) == 0)
            memset((void *)(uintptr_t)region.address, '!', sharing.bytes);
    }
    ready();
}

// ---- as the parent ------------------------------------------------------------------------------

struct child {
    s64 pid;
    int go, ready;
};

static struct child start(const char *what)
{
    const char *argv[] = {"test-files", what, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process = 0;
    int go[2], ready[2];
    EXPECT(pipe(go) == 0 && pipe(ready) == 0);
    const struct posix_spawn_fd fds[] = {{SLOT_GO, go[0]}, {SLOT_READY, ready[1]}};
    spawn.path = "/bin/test-files";
    spawn.argv = argv;
    s64 pid = posix_spawn_program(&spawn, fds, 2, &process);
    EXPECT(pid > 0);
    sys_cap_drop(process);
    close(go[0]);
    close(ready[1]);
    return (struct child){.pid = pid, .go = go[1], .ready = ready[0]};
}

// Whether it has done its work; false: it has ended over it.
static bool work(const struct child *child)
{
    char byte;
    EXPECT(write(child->go, "g", 1) == 1);
    return read(child->ready, &byte, 1) == 1;
}

static void stop(const struct child *child)
{
    s32 status;
    kill((pid_t)child->pid, SIGKILL);
    EXPECT(process_wait((u32)child->pid, &status, THREAD_FOREVER) == child->pid);
    close(child->go);
    close(child->ready);
}

static struct fs_usage usage(void)
{
    struct fs_usage usage = {0};
    cap_t server = 0;
    EXPECT(service_endpoint(service_get("fs"), THREAD_FOREVER, &server) == 0);
    EXPECT(fs_usage(server, &usage) == 0);
    return usage;
}

static int make_shared(void)
{
    char page[PAGE];
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    memset(block, 'f', sizeof(block));
    EXPECT(write(fd, block, (size_t)FILE_PAGES * PAGE) == FILE_PAGES * PAGE);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pread(fd, page, PAGE, 0) == PAGE);
    return fd;
}

// Until there is an error: bytes.
static u64 fill(int fd)
{
    u64 bytes = 0;
    ssize_t done;
    memset(block, 's', sizeof(block));
    while ((done = write(fd, block, sizeof(block))) > 0)
        bytes += (u64)done;
    EXPECT(done == -1 && errno == ENOSPC);
    return bytes;
}

static void read_much(int fd, u64 bytes, char wanted)
{
    char page[PAGE];
    for (u32 i = 0; i < MUCH; i++) {
        u64 at = i * 5000 % (bytes - PAGE);
        EXPECT(pread(fd, page, PAGE, (off_t)at) == PAGE && page[0] == wanted &&
               page[PAGE - 1] == wanted);
    }
}

static void memory_is_out(void)
{
    int fd = make_shared(), sink = open(SINK, O_RDWR | O_CREAT | O_TRUNC, 0644);
    struct child eater = start("eat"), greedy = start("greedy");
    EXPECT(work(&eater));
    u64 bytes = fill(sink);
    EXPECT(bytes > 0 && usage().bytes < usage().limit); // it was not the limit of all files
    EXPECT_ERROR(pwrite(sink, block, PAGE, (off_t)(bytes + SINK_BLOCK)), ENOSPC);
    read_much(sink, bytes, 's'); // much used: but there is no memory to share it
    EXPECT(pwrite(fd, block, PAGE, (off_t)FILE_PAGES * PAGE) == PAGE);
    read_much(fd, FILE_PAGES * PAGE, 'f');
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pwrite(fd, "again", 5, 0) == 5);
    if (work(&greedy)) // else it has ended without memory of its own, and left some
        EXPECT_ERROR(pwrite(sink, block, PAGE, (off_t)(bytes + SINK_BLOCK)), ENOSPC);
    stop(&greedy);
    close(sink);
    EXPECT(unlink(SINK) == 0);
    stop(&eater);
    // The same server: it has the file.
    EXPECT(WAIT_FOR(pwrite(fd, block, SINK_BLOCK, 0) == SINK_BLOCK));
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// What shared files have counts as files', whoever writes it.
static void greed_is_counted(void)
{
    u64 before = usage().bytes;
    int fd = make_shared();
    struct child greedy = start("greedy");
    EXPECT(work(&greedy));
    EXPECT(usage().bytes > before + GREEDY_BYTES && usage().bytes <= usage().limit);
    read_much(fd, FILE_PAGES * PAGE, 'f');
    stop(&greedy);
    EXPECT(WAIT_FOR(pwrite(fd, block, SINK_BLOCK, 0) == SINK_BLOCK));
    close(fd);
    EXPECT(unlink(PATH) == 0);
    EXPECT(WAIT_FOR(usage().bytes <= before));
}

void test_exhausted(void)
{
    memory_is_out();
    greed_is_counted();
}
