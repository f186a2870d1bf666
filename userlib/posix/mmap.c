// SPDX-License-Identifier: MIT
// mmap over regions and memory objects.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/memory.h>
#include <sys/mman.h>

#define PAGE 4096UL

_Static_assert(PROT_READ == PROT_R && PROT_WRITE == PROT_W && PROT_EXEC == PROT_X, "sys/mman.h");

static void *fail(int number)
{
    errno = number;
    return MAP_FAILED;
}

struct mapping {
    u64 offset, bytes;
    cap_t memory;
};

static s64 call_map(cap_t server, u64 handle, void *argument)
{
    struct mapping *mapping = argument;
    return fs_map(server, handle, &mapping->offset, &mapping->bytes, &mapping->memory);
}

// Asks the file's server for its memory. Returns 0 or a negative errno. What is stored through a
// mapping would be the file's only once the kernel gives the page to the server, so nothing is.
static s64 memory_of(struct fd_file *file, const struct sys_region *region, struct mapping *mapping)
{
    bool stores = region->kind == REGION_SHARED && (region->prot & PROT_WRITE) != 0;
    struct service *service;
    u64 handle;

    if (!file_handle(file, &service, &handle))
        return -ENODEV;
    if (stores)
        return (file->flags & O_ACCMODE) == O_RDWR ? -ENOTSUP : -EACCES;
    s64 status = file_do(file, call_map, mapping);
    return status == E_NOTSUP ? -ENODEV : -posix_errno(status);
}

static s64 map_file(int fd, struct sys_region *region)
{
    struct mapping mapping;
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return -EBADF;
    s64 status = memory_of(file, region, &mapping);
    fd_put(file);
    if (status != 0)
        return status;
    region->memory = mapping.memory;
    region->offset += mapping.offset;
    status = sys_region_create(0, region);
    sys_cap_drop(mapping.memory); // the region holds what it needs
    return -posix_errno(status);
}

void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    bool shared = (flags & MAP_SHARED) != 0, anonymous = (flags & MAP_ANONYMOUS) != 0;
    if (bytes == 0 || bytes > USER_END || offset < 0 || (u64)offset % PAGE != 0 ||
        (uintptr_t)address % PAGE != 0 || shared == ((flags & MAP_PRIVATE) != 0) ||
        (anonymous && shared))
        return fail(EINVAL);
    struct sys_region region = {
        .address = (uintptr_t)address,
        .bytes = ALIGN_UP(bytes, PAGE),
        .kind = anonymous ? REGION_ANONYMOUS
                : shared  ? REGION_SHARED
                          : REGION_PRIVATE,
        .prot = (u32)prot,
        .offset = anonymous ? 0 : (u64)offset,
    };
    s64 status = anonymous ? -posix_errno(sys_region_create(0, &region)) : map_file(fd, &region);
    if (status < 0)
        return fail((int)-status);
    return (void *)(uintptr_t)region.address;
}

int munmap(void *address, size_t bytes)
{
    (void)bytes;
    return (int)posix_result(-posix_errno(sys_region_destroy((uintptr_t)address)));
}

int mprotect(void *address, size_t bytes, int prot)
{
    s64 status = sys_region_protect((uintptr_t)address, ALIGN_UP(bytes, PAGE), (u32)prot);
    return (int)posix_result(-posix_errno(status));
}
