// SPDX-License-Identifier: MIT
// What a mapping may do is what the opening may do: by the library, and by calls around it.
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/user.h>
#include <posix/service.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <user/thread.h>

#define PAGE 4096UL
#define PATH "/tmp/rights"
#define RW (PROT_R | PROT_W)
#define EXPECT_REFUSED(prot, flags, fd)                                                            \
    EXPECT(mmap(NULL, PAGE, (prot), (flags), (fd), 0) == MAP_FAILED && errno == EACCES)

static bool unchanged(void)
{
    char page[PAGE];
    int fd = open(PATH, O_RDONLY);
    bool same = pread(fd, page, PAGE, 0) == (ssize_t)PAGE;
    for (u64 i = 0; i < PAGE; i++)
        same &= page[i] == 'r';
    close(fd);
    return same;
}

static void make_file(void)
{
    char page[PAGE];
    memset(page, 'r', PAGE);
    int fd = open(PATH, O_RDWR | O_CREAT | O_TRUNC, 0644);
    EXPECT(write(fd, page, PAGE) == (ssize_t)PAGE);
    close(fd);
}

// ---- by the library ----------------------------------------------------------------------------

static void open_for_reading(void)
{
    int fd = open(PATH, O_RDONLY);
    EXPECT_REFUSED(PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    EXPECT_REFUSED(PROT_WRITE, MAP_SHARED, fd);
    char *map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT(map != MAP_FAILED && map[0] == 'r');
    EXPECT_ERROR(mprotect(map, 2 * PAGE, PROT_READ | PROT_WRITE), EACCES);
    EXPECT_ERROR(mprotect(map, PAGE, PROT_WRITE), EACCES);
    EXPECT(mprotect(map, PAGE, PROT_NONE) == 0 && mprotect(map, PAGE, PROT_READ) == 0);
    EXPECT(munmap(map, 2 * PAGE) == 0);
    map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    EXPECT(map != MAP_FAILED);
    map[0] = 'x'; // a copy of its own
    EXPECT(munmap(map, PAGE) == 0 && unchanged());
    close(fd);
}

static void open_for_writing(void)
{
    int fd = open(PATH, O_WRONLY);
    EXPECT_REFUSED(PROT_READ, MAP_SHARED, fd);
    EXPECT_REFUSED(PROT_READ, MAP_PRIVATE, fd);
    EXPECT_REFUSED(PROT_WRITE, MAP_SHARED, fd);
    EXPECT_REFUSED(PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    EXPECT_REFUSED(PROT_NONE, MAP_PRIVATE, fd);
    close(fd);
}

static void open_for_both(void)
{
    int fd = open(PATH, O_RDWR);
    EXPECT(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    EXPECT(errno == ENOTSUP);
    char *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT(map != MAP_FAILED && map[0] == 'r');
    EXPECT_ERROR(mprotect(map, PAGE, PROT_READ | PROT_WRITE), EACCES);
    EXPECT(munmap(map, PAGE) == 0);
    map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    EXPECT(map != MAP_FAILED);
    map[0] = 'x';
    EXPECT(munmap(map, PAGE) == 0 && unchanged());
    close(fd);
}

// ---- around it ---------------------------------------------------------------------------------

static s64 create(cap_t process, u64 address, cap_t memory, u32 prot, u64 *at)
{
    struct sys_region region = {
        .address = address, .bytes = PAGE, .kind = REGION_SHARED, .prot = prot, .memory = memory};
    s64 status = sys_region_create(process, &region);
    *at = region.address;
    return status;
}

// A child that has not started is mapped to, and written, by its parent.
static void lie_by_a_child(cap_t memory)
{
    const struct sys_process_new wanted = {.name = "liar", .priority = PROCESS_NORMAL};
    s64 child = sys_process_create(&wanted);
    u64 at;
    EXPECT(child > 0);
    EXPECT(create((cap_t)child, USER_IMAGE, memory, RW, &at) == E_PERM);
    EXPECT(create((cap_t)child, USER_IMAGE, memory, PROT_R, &at) == 0);
    EXPECT(sys_process_write((cap_t)child, USER_IMAGE, "lie", 3) == E_FAULT);
    EXPECT(sys_cap_drop((cap_t)child) == 0);
}

static void lie_with(cap_t memory)
{
    u64 at;
    EXPECT(create(0, 0, memory, RW, &at) == E_PERM);
    EXPECT(create(0, 0, memory, PROT_W, &at) == E_PERM);
    EXPECT(create(0, 0, memory, PROT_R, &at) == 0);
    EXPECT(sys_region_protect(at, PAGE, RW) == E_PERM);
    EXPECT(sys_region_protect(at, PAGE, PROT_W) == E_PERM);
    EXPECT(sys_region_commit(at, PAGE, RW) != 0);
    EXPECT(*(volatile char *)at == 'r');
    EXPECT(sys_region_destroy(at) == 0);
    EXPECT(sys_memory_seal(memory) == E_INVAL);
    EXPECT(sys_file_supply(memory, 0, (void *)(uintptr_t) "lie", 0) == E_INVAL);
    EXPECT(sys_file_resize(memory, 0, true) == E_INVAL);
    lie_by_a_child(memory);
}

// With the capability, a copy of it, and one made of it.
static void lie_with_all(cap_t memory)
{
    s64 copy = sys_cap_copy(memory), readable = sys_memory_readable(memory);
    EXPECT(copy > 0 && readable > 0 && sys_memory_bytes(memory) >= (s64)PAGE);
    lie_with(memory);
    lie_with((cap_t)copy);
    lie_with((cap_t)readable);
    EXPECT(sys_cap_drop((cap_t)copy) == 0 && sys_cap_drop((cap_t)readable) == 0);
    EXPECT(sys_cap_drop(memory) == 0);
    EXPECT(unchanged());
}

static void around_the_library(void)
{
    struct fs_sharing sharing;
    struct fs_stat info;
    cap_t server = 0, memory;
    u64 reader, writer, offset, bytes;
    EXPECT(service_endpoint(service_get("fs"), THREAD_FOREVER, &server) == 0);
    EXPECT(fs_open(server, PATH, FS_READ, &reader, &info) == 0);
    EXPECT(fs_open(server, PATH, FS_WRITE, &writer, &info) == 0);
    EXPECT(fs_map(server, writer, &offset, &bytes, &memory) == E_PERM);
    EXPECT(fs_share(server, writer, 1000, &sharing, &memory) == E_NOTSUP);
    EXPECT(fs_map(server, reader, &offset, &bytes, &memory) == 0);
    lie_with_all(memory);
    EXPECT(fs_share(server, reader, 1000, &sharing, &memory) == 0);
    lie_with_all(memory);
    fs_close(server, writer);
    EXPECT(fs_open(server, PATH, FS_READ | FS_WRITE, &writer, &info) == 0);
    EXPECT(fs_map(server, writer, &offset, &bytes, &memory) == 0);
    lie_with_all(memory);
    fs_close(server, writer);
    fs_close(server, reader);
}

void test_rights(void)
{
    make_file();
    open_for_reading();
    open_for_writing();
    open_for_both();
    around_the_library();
    EXPECT(unlink(PATH) == 0);
}
