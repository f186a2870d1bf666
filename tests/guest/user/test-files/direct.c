// SPDX-License-Identifier: MIT
// Files that are used so much that the library reads and writes them without calls: they stay what
// they are by calls. A handle of our own at the server is the witness.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <orrery/memory.h>
#include <posix/service.h>
#include <posix/spawn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define PAGE 4096
#define PATH "/tmp/direct"
#define FILE_PAGES 8
#define MUCH 200 // uses after which there are no calls

static char data[FILE_PAGES * PAGE];

// ---- what calls say ----------------------------------------------------------------------------

static cap_t server(void)
{
    cap_t endpoint = 0;
    EXPECT(service_endpoint(service_get("fs"), THREAD_FOREVER, &endpoint) == 0);
    return endpoint;
}

static u64 open_by_call(u32 flags)
{
    u64 handle = 0;
    struct fs_stat info;
    EXPECT(fs_open(server(), PATH, flags, &handle, &info) == 0);
    return handle;
}

static bool server_has(u64 offset, const void *what, u64 bytes)
{
    char back[PAGE];
    u64 done = 0;
    u64 handle = open_by_call(FS_READ);
    s64 status = fs_read(server(), handle, offset, 0, back, bytes, &done);
    fs_close(server(), handle);
    return status == 0 && done == bytes && memcmp(back, what, bytes) == 0;
}

static int much_used(void)
{
    char page[PAGE];
    for (u32 i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 31 >> 3);
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(write(fd, data, sizeof(data)) == sizeof(data));
    for (u32 i = 0; i < MUCH; i++) {
        u64 at = i * 1111 % (sizeof(data) - PAGE);
        if (pread(fd, page, PAGE, (off_t)at) != PAGE || memcmp(page, data + at, PAGE) != 0)
            return EXPECT(!"the contents"), fd;
    }
    return fd;
}

// ---- contents ----------------------------------------------------------------------------------

static void reads_and_writes(void)
{
    char page[PAGE];
    int fd = much_used();
    memset(page, 'w', sizeof(page));
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pwrite(fd, page, 100, 5000) == 100);
    memcpy(data + 5000, page, 100);
    EXPECT(server_has(PAGE, data + PAGE, PAGE));
    EXPECT(pwrite(fd, page, PAGE, sizeof(data) - 10) == PAGE); // over the end
    EXPECT(pread(fd, page, PAGE, sizeof(data) + PAGE - 20) == 10 && page[9] == 'w');
    EXPECT(pread(fd, page, PAGE, sizeof(data) + PAGE) == 0);
    EXPECT(pwrite(fd, "far", 3, 100 * PAGE) == 3);
    EXPECT(pread(fd, page, PAGE, 99 * PAGE) == PAGE && page[0] == 0 && page[PAGE - 1] == 0);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

static void lengths(void)
{
    char page[PAGE];
    struct stat info;
    int fd = much_used(), other = open(PATH, O_RDWR);
    EXPECT(ftruncate(other, 10) == 0);
    EXPECT(pread(fd, page, PAGE, 0) == 10 && pread(fd, page, PAGE, 2 * PAGE) == 0);
    EXPECT(ftruncate(other, 3 * PAGE) == 0);
    memset(page, 1, sizeof(page));
    EXPECT(pread(fd, page, PAGE, 2 * PAGE) == PAGE && page[0] == 0 && page[PAGE - 1] == 0);
    EXPECT(fstat(fd, &info) == 0 && info.st_size == 3 * PAGE);
    close(open(PATH, O_WRONLY | O_TRUNC));
    EXPECT(pread(fd, page, PAGE, 0) == 0);
    EXPECT(write(other, "new", 3) == 3 && pread(fd, page, PAGE, 0) == 3);
    close(fd);
    close(other);
    EXPECT(unlink(PATH) == 0);
}

static void positions(void)
{
    char page[PAGE];
    int fd = much_used(), copy = dup(fd);
    EXPECT(lseek(fd, 100, SEEK_SET) == 100);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(read(i % 2 != 0 ? fd : copy, page, 10) == 10 &&
               memcmp(page, data + 100 + i * 10, 10) == 0);
    close(copy);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(read(fd, page, 10) == 10 && memcmp(page, data + 100 + (MUCH + i) * 10, 10) == 0);
    EXPECT(lseek(fd, -1, SEEK_CUR) == 100 + 2 * MUCH * 10 - 1);
    EXPECT_ERROR(lseek(fd, -100000, SEEK_CUR), EINVAL);
    EXPECT_ERROR(lseek(fd, 0, 9), EINVAL);
    EXPECT(lseek(fd, -5, SEEK_END) == sizeof(data) - 5);
    EXPECT(read(fd, page, PAGE) == 5 && read(fd, page, PAGE) == 0);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

static void at_the_end(void)
{
    char page[PAGE];
    int fd = much_used(), end = open(PATH, O_RDWR | O_APPEND);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(write(end, "x", 1) == 1);
    EXPECT(pread(end, page, PAGE, sizeof(data)) == MUCH && page[MUCH - 1] == 'x');
    EXPECT(pread(fd, page, PAGE, sizeof(data)) == MUCH);
    EXPECT(lseek(end, 0, SEEK_CUR) == sizeof(data) + MUCH);
    close(fd);
    close(end);
    EXPECT(unlink(PATH) == 0);
}

// What is mapped through the kernel follows what is written.
static void mapped(void)
{
    int fd = much_used();
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pwrite(fd, "before", 6, 0) == 6);
    for (u32 i = 0; i < 2; i++) {
        const char *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
        EXPECT(map != MAP_FAILED);
        if (map == MAP_FAILED)
            break;
        EXPECT(memcmp(map, i == 0 ? "before" : "again!", 6) == 0);
        for (u32 j = 0; j < MUCH; j++)
            EXPECT(pwrite(fd, "after!", 6, 0) == 6);
        EXPECT(memcmp(map, "after!", 6) == 0);
        munmap((void *)(uintptr_t)map, PAGE);
        thread_sleep_us(2 * FS_LEASE_US);
        for (u32 j = 0; j < MUCH; j++)
            EXPECT(pwrite(fd, "again!", 6, 0) == 6);
    }
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// ---- what is said of the file ------------------------------------------------------------------

// The states of the server's files, and which is that of the file behind a handle; NULL: none.
static const struct fs_state *state_of(u64 handle)
{
    struct fs_sharing sharing;
    cap_t memory, states;
    if (fs_share(server(), handle, 1000, &sharing, &memory) != 0)
        return NULL;
    sys_cap_drop(memory);
    EXPECT(fs_share_states(server(), &states) == 0);
    struct sys_region region = {
        .bytes = FS_STATES_BYTES, .kind = REGION_SHARED, .prot = PROT_R, .memory = states};
    s64 status = sys_region_create(0, &region);
    sys_cap_drop(states);
    return status == 0 ? (const struct fs_state *)(uintptr_t)region.address + sharing.index : NULL;
}

// fstat and lseek say what a call with a handle of our own says; so does the state, to the
// nanosecond. A new handle is one more opening, so nobody writes alone: then time stays as it is.
static bool all_agree(int fd, u64 handle, const struct fs_state *state)
{
    struct stat info;
    struct fs_stat said;
    if (fs_file_stat(server(), handle, &said) != 0 || fstat(fd, &info) != 0)
        return false;
    return info.st_ino == said.id && info.st_size == (off_t)said.bytes &&
           info.st_nlink == said.links && S_ISREG(info.st_mode) && (info.st_mode & S_IWUSR) != 0 &&
           info.st_mtime == (time_t)(said.time / 1000000000) &&
           lseek(fd, -1, SEEK_END) == (off_t)said.bytes - 1 &&
           (state->span == 0 ||
            (state->bytes == said.bytes && state->time == said.time && state->links == said.links));
}

static void fstat_of_much_used(void)
{
    struct stat info;
    int fd = much_used(), other = open(PATH, O_RDWR);
    u64 handle = open_by_call(FS_READ), time = 0;
    const struct fs_state *state = state_of(handle);
    EXPECT(state != NULL && state->span == sizeof(data));
    if (state == NULL)
        return;
    for (u32 i = 0; i < MUCH; i++) { // a time of its own by each write of another
        EXPECT(pwrite(other, "x", 1, (off_t)(sizeof(data) + i)) == 1 && state->time > time);
        EXPECT(all_agree(fd, handle, state));
        time = state->time;
    }
    EXPECT(ftruncate(other, 5000) == 0 && all_agree(fd, handle, state));
    EXPECT(fs_renew(server(), handle, FS_WRITE) == E_PERM && all_agree(fd, handle, state));
    EXPECT(rename(PATH, PATH "-2") == 0 && all_agree(fd, handle, state) && state->links == 1);
    EXPECT(unlink(PATH "-2") == 0 && all_agree(fd, handle, state) && state->links == 0);
    EXPECT(fstat(fd, &info) == 0 && info.st_nlink == 0);
    EXPECT(ftruncate(other, 0) == 0 && state->span == 0 && fstat(fd, &info) == 0);
    EXPECT(info.st_size == 0 && info.st_nlink == 0 && lseek(fd, 0, SEEK_END) == 0);
    EXPECT(write(other, data, 100) == 100 && lseek(fd, 0, SEEK_END) == 100);
    EXPECT(fstat(fd, &info) == 0 && info.st_size == 100);
    fs_close(server(), handle);
    close(other);
    close(fd);
}

// One who writes alone, without calls: the time is that of the last lease.
static void fstat_of_written(void)
{
    struct stat info;
    struct fs_stat first, last;
    int fd = much_used();
    u64 handle = open_by_call(FS_READ);
    EXPECT(fs_file_stat(server(), handle, &first) == 0);
    fs_close(server(), handle);
    thread_sleep_us(2 * FS_LEASE_US);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(pwrite(fd, "w", 1, i) == 1);
    handle = open_by_call(FS_READ);
    const struct fs_state *state = state_of(handle);
    EXPECT(fs_file_stat(server(), handle, &last) == 0 && last.time > first.time);
    EXPECT(state != NULL && state->time == last.time && fstat(fd, &info) == 0);
    EXPECT(info.st_mtime == (time_t)(last.time / 1000000000) && info.st_size == sizeof(data));
    fs_close(server(), handle);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// Another thread changes the length all the time: only what it sets is ever seen.
static int changed_fd;
static bool changed_enough;

static s64 change_length(void *argument)
{
    (void)argument;
    for (u32 i = 0; !__atomic_load_n(&changed_enough, __ATOMIC_RELAXED); i++)
        EXPECT(ftruncate(changed_fd, i % 2 != 0 ? 2 * PAGE : 3 * PAGE + 1) == 0);
    return 0;
}

static void fstat_while_it_changes(void)
{
    struct stat info;
    struct thread *thread;
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    u64 counts[2] = {0, 0};
    int fd = much_used();
    changed_fd = open(PATH, O_RDWR);
    changed_enough = false;
    attributes.cpu = 1 % user_cpu_count();
    EXPECT(ftruncate(changed_fd, 2 * PAGE) == 0);
    EXPECT(thread_create(&thread, &attributes, change_length, NULL) == 0);
    u64 until = time_after_us(50000);
    while (time_now() < until || counts[0] == 0 || counts[1] == 0) {
        EXPECT(fstat(fd, &info) == 0);
        EXPECT(info.st_size == 2 * PAGE || info.st_size == 3 * PAGE + 1);
        counts[info.st_size == 2 * PAGE]++;
        thread_yield();
    }
    __atomic_store_n(&changed_enough, true, __ATOMIC_RELAXED);
    EXPECT(thread_join(thread, NULL) == 0);
    close(changed_fd);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// ---- others ------------------------------------------------------------------------------------

// As a child: a byte of its own at every place of the first page, for ever.
int child_scribble(void)
{
    int fd = open(PATH, O_RDWR);
    char page[PAGE];
    memset(page, 's', sizeof(page));
    while (pwrite(fd, page, sizeof(page), 0) == sizeof(page))
        ;
    return 1;
}

// As a child: takes the memory, writes all of it at any time, and tries to change the state.
int child_lie(void)
{
    struct fs_sharing sharing;
    cap_t memory, states;
    u64 handle = open_by_call(FS_READ | FS_WRITE), reader = open_by_call(FS_READ);
    if (fs_share(server(), handle, 1000, &sharing, &memory) != 0 ||
        fs_share_states(server(), &states) != 0)
        return 1;
    struct sys_region region = {
        .bytes = FS_STATES_BYTES, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = states};
    if (sys_region_create(0, &region) != E_PERM || sys_memory_seal(memory) != E_PERM)
        return 2;
    region.prot = PROT_R;
    if (sys_region_create(0, &region) != 0 ||
        sys_region_protect(region.address, FS_STATES_BYTES, PROT_R | PROT_W) != E_PERM)
        return 3;
    region = (struct sys_region){
        .bytes = sharing.bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};
    if (sys_region_create(0, &region) != 0)
        return 4;
    memset((void *)(uintptr_t)region.address, '!', sharing.bytes);
    return fs_renew(server(), reader, FS_WRITE) == E_PERM &&
                   fs_renew(server(), 12345, FS_READ) == E_STALE
               ? 0
               : 5;
}

static s64 start_child(const char *what, const struct posix_spawn_fd *fds, u32 count)
{
    const char *argv[] = {"test-files", what, "0123456789", NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    cap_t process = 0;
    spawn.path = "/bin/test-files";
    spawn.argv = argv;
    s64 pid = posix_spawn_program(&spawn, fds, count, &process);
    EXPECT(pid > 0);
    sys_cap_drop(process);
    return pid;
}

static s32 end_of(s64 pid)
{
    s32 status = -1;
    EXPECT(process_wait((u32)pid, &status, THREAD_FOREVER) == pid);
    return status;
}

// The child writes at the position, which is one for both.
static void inherited_position(void)
{
    char page[PAGE];
    int fd = much_used();
    const struct posix_spawn_fd fds[] = {{2, 2}, {5, fd}};
    EXPECT(lseek(fd, 1000, SEEK_SET) == 1000 && read(fd, page, 24) == 24);
    EXPECT(end_of(start_child("write", fds, 2)) == 0);
    EXPECT(pread(fd, page, 20, 1020) == 20 && memcmp(page + 4, "0123456789", 10) == 0);
    EXPECT(lseek(fd, 0, SEEK_CUR) == 1034);
    for (u32 i = 0; i < MUCH; i++)
        EXPECT(write(fd, "z", 1) == 1);
    EXPECT(lseek(fd, 0, SEEK_CUR) == 1034 + MUCH);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// Each read gives a page that one of two has written as a whole, also when one is killed.
static void two_writers(void)
{
    char ours[PAGE], page[PAGE];
    int fd = much_used(), reader = open(PATH, O_RDONLY);
    memset(ours, 'o', sizeof(ours));
    EXPECT(pwrite(fd, ours, PAGE, 0) == PAGE);
    s64 pid = start_child("scribble", NULL, 0);
    u64 until = time_after_us(100000);
    do {
        EXPECT(pwrite(fd, ours, PAGE, 0) == PAGE);
        EXPECT(pread(reader, page, PAGE, 0) == PAGE);
        char first = page[0];
        EXPECT(first == 'o' || first == 's');
        memset(ours, first, sizeof(ours));
        EXPECT(memcmp(page, ours, PAGE) == 0);
        memset(ours, 'o', sizeof(ours));
    } while (time_now() < until);
    kill((pid_t)pid, SIGKILL);
    end_of(pid);
    EXPECT(pwrite(fd, ours, PAGE, 0) == PAGE && pread(fd, page, PAGE, 0) == PAGE);
    EXPECT(memcmp(page, ours, PAGE) == 0);
    close(reader);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// It can write what it may write, and nothing else.
static void liar(void)
{
    char page[PAGE];
    struct stat info;
    int fd = much_used();
    EXPECT(ftruncate(fd, PAGE + 10) == 0);
    EXPECT(end_of(start_child("lie", NULL, 0)) == 0);
    EXPECT(fstat(fd, &info) == 0 && info.st_size == PAGE + 10);
    EXPECT(pread(fd, page, PAGE, PAGE) == 10 && page[9] == '!');
    EXPECT(ftruncate(fd, 2 * PAGE) == 0); // what it wrote behind the end is not there
    EXPECT(pread(fd, page, PAGE, PAGE) == PAGE && page[10] == 0 && page[PAGE - 1] == 0);
    close(fd);
    EXPECT(unlink(PATH) == 0);
}

// A thread that reads and writes at the position while others do: no byte twice, none left out.
#define SUMMED 4000
static int summed_fd;

static s64 sum_part(void *argument)
{
    u64 sum = 0;
    u8 byte;
    (void)argument;
    while (read(summed_fd, &byte, 1) == 1)
        sum += byte;
    return (s64)sum;
}

static void threads_share_a_position(void)
{
    struct thread *threads[4];
    u64 wanted = 0, sum = 0;
    s64 part;
    summed_fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (u32 i = 0; i < SUMMED; i++)
        wanted += (u8)(data[i] = (char)(i * 7));
    EXPECT(write(summed_fd, data, SUMMED) == SUMMED && lseek(summed_fd, 0, SEEK_SET) == 0);
    for (u32 i = 0; i < 4; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        EXPECT(thread_create(&threads[i], &attributes, sum_part, NULL) == 0);
    }
    for (u32 i = 0; i < 4; i++) {
        thread_join(threads[i], &part);
        sum += (u64)part;
    }
    EXPECT(sum == wanted);
    close(summed_fd);
    EXPECT(unlink(PATH) == 0);
}

void test_direct(void)
{
    reads_and_writes();
    lengths();
    positions();
    at_the_end();
    mapped();
    fstat_of_much_used();
    fstat_of_written();
    fstat_while_it_changes();
    inherited_position();
    two_writers();
    liar();
    threads_share_a_position();
}
