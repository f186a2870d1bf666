// SPDX-License-Identifier: MIT
// Running code is nobody's to write: a program is started from a file that anybody can write, and
// its instructions in that file are changed in all ways that there are.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <posix/service.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <user/thread.h>

#define PAGE 4096UL
#define SELF "/bin/test-files"
#define PATH "/tmp/running"
#define OTHER "/tmp/running-other"
#define LOAD 0x39200000u // li r9,VALUE
#define MOVE 0x7d234b78u // mr r3,r9
#define WARM 0x1357u
#define COLD 0x1358u
#define CHANGED 0x2468u
#define SLOT_GO 5
#define SLOT_READY 6

// ---- the program that runs ----------------------------------------------------------------------

#define ANSWER(value)                                                                              \
    register u64 answer __asm__("r3");                                                             \
    __asm__ volatile("li 9,%1\n\tmr 3,9" : "=r"(answer) : "i"(value) : "r9");                      \
    return answer

// On pages of their own: the first one's is there when the file changes, the second one's is not.
static __attribute__((noinline, aligned(4096))) u64 warm(void)
{
    ANSWER(WARM);
}

static __attribute__((noinline, aligned(4096))) u64 cold(void)
{
    ANSWER(COLD);
}

// As a child: the exit status says what it has executed.
int child_answer(void)
{
    char byte;
    u64 before = warm();
    if (write(SLOT_READY, "r", 1) != 1 || read(SLOT_GO, &byte, 1) != 1)
        return 9;
    if (warm() == CHANGED && cold() == CHANGED)
        return before == CHANGED ? 1 : 2;
    return before == WARM && warm() == WARM && cold() == COLD ? 0 : 3;
}

// ---- who writes to it ---------------------------------------------------------------------------

static u8 *image;
static u64 image_bytes;

static void load(void)
{
    int fd = open(SELF, O_RDONLY);
    s64 bytes = lseek(fd, 0, SEEK_END);
    image = malloc((size_t)bytes);
    EXPECT(bytes > 0 && image != NULL && lseek(fd, 0, SEEK_SET) == 0);
    for (image_bytes = 0; image_bytes < (u64)bytes;)
        image_bytes += (u64)read(fd, image + image_bytes, (size_t)((u64)bytes - image_bytes));
    close(fd);
}

// Changes the two instructions.
static void change(void *contents)
{
    u32 *words = contents, found = 0;
    for (u64 i = 0; i + 1 < image_bytes / sizeof(u32); i++) {
        if ((words[i] != (LOAD | WARM) && words[i] != (LOAD | COLD)) || words[i + 1] != MOVE)
            continue;
        words[i] = LOAD | CHANGED;
        found++;
    }
    EXPECT(found == 2);
}

static void write_image(const char *path, const void *from)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    for (u64 done = 0; done < image_bytes;) {
        ssize_t part = pwrite(fd, (const u8 *)from + done, image_bytes - done, (off_t)done);
        EXPECT(part > 0);
        if (part <= 0)
            break;
        done += (u64)part;
    }
    close(fd);
}

static void *changed_image(void)
{
    void *changed = malloc(image_bytes);
    memcpy(changed, image, image_bytes);
    change(changed);
    return changed;
}

static void by_writing(void *mapped)
{
    void *changed = changed_image();
    (void)mapped;
    write_image(PATH, changed);
    free(changed);
}

static void by_truncating(void *mapped)
{
    int fd = open(PATH, O_RDWR | O_TRUNC);
    EXPECT(fd >= 0);
    close(fd);
    by_writing(mapped);
}

static void by_renaming(void *mapped)
{
    void *changed = changed_image();
    (void)mapped;
    write_image(OTHER, changed);
    EXPECT(rename(OTHER, PATH) == 0);
    free(changed);
}

static void by_removing(void *mapped)
{
    EXPECT(unlink(PATH) == 0);
    by_writing(mapped);
}

static void by_storing(void *mapped)
{
    change(mapped);
}

// ---- memory that can be written before the start ------------------------------------------------

static void *map_nothing(void)
{
    return NULL;
}

// The memory of those who read and write without calls.
static void *map_share(void)
{
    struct fs_sharing sharing;
    struct fs_stat info;
    cap_t server = 0, memory = 0;
    u64 handle;
    EXPECT(service_endpoint(service_get("fs"), THREAD_FOREVER, &server) == 0);
    EXPECT(fs_open(server, PATH, FS_READ | FS_WRITE, &handle, &info) == 0);
    EXPECT(fs_share(server, handle, 1UL << 40, &sharing, &memory) == 0);
    struct sys_region region = {
        .bytes = sharing.bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};
    EXPECT(sys_region_create(0, &region) == 0);
    sys_cap_drop(memory);
    fs_close(server, handle);
    return (void *)(uintptr_t)region.address;
}

static const struct way {
    const char *name;
    void *(*map)(void);
    void (*write)(void *mapped);
} ways[] = {
    {"write", map_nothing, by_writing},        {"truncate", map_nothing, by_truncating},
    {"rename over", map_nothing, by_renaming}, {"remove", map_nothing, by_removing},
    {"share", map_share, by_storing},
};

// ---- the tests ---------------------------------------------------------------------------------

struct running {
    s64 pid;
    int go, ready;
};

static struct running start(void)
{
    const char *argv[] = {"test-files", "answer", NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process = 0;
    int go[2], ready[2];
    char byte;
    EXPECT(pipe(go) == 0 && pipe(ready) == 0);
    const struct posix_spawn_fd fds[] = {{SLOT_GO, go[0]}, {SLOT_READY, ready[1]}};
    spawn.path = PATH;
    spawn.argv = argv;
    s64 pid = posix_spawn_program(&spawn, fds, 2, &process);
    EXPECT(pid > 0);
    sys_cap_drop(process);
    close(go[0]);
    close(ready[1]);
    EXPECT(read(ready[0], &byte, 1) == 1);
    return (struct running){.pid = pid, .go = go[1], .ready = ready[0]};
}

static int answer_of(const struct running *running)
{
    EXPECT(write(running->go, "g", 1) == 1);
    int status = child_status(running->pid);
    close(running->go);
    close(running->ready);
    return status;
}

static void try(const struct way *way)
{
    write_image(PATH, image);
    void *mapped = way->map();
    struct running running = start();
    way->write(mapped);
    int status = answer_of(&running);
    if (status != 0)
        printf("test-files: %s: %d\n", way->name, status);
    EXPECT(status == 0);
    if (mapped != NULL)
        EXPECT(sys_region_destroy((uintptr_t)mapped) == 0);
    unlink(PATH);
}

// What was written is what the next one executes.
static void next_start(void)
{
    write_image(PATH, image);
    by_writing(NULL);
    struct running running = start();
    EXPECT(answer_of(&running) == 1);
    EXPECT(unlink(PATH) == 0);
}

static void no_programs(void)
{
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process;
    spawn.path = PATH;
    close(open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644));
    EXPECT(posix_spawn_program(&spawn, NULL, 0, &process) == E_INVAL);
    int fd = open(PATH, O_WRONLY);
    EXPECT(write(fd, "no program", 10) == 10);
    close(fd);
    EXPECT(posix_spawn_program(&spawn, NULL, 0, &process) < 0);
    EXPECT(unlink(PATH) == 0);
    spawn.path = "/tmp";
    EXPECT(posix_spawn_program(&spawn, NULL, 0, &process) < 0);
}

void test_running(void)
{
    load();
    for (u32 i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        try(&ways[i]);
    next_start();
    no_programs();
    free(image);
}
