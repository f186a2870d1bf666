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

// ---- ranges -------------------------------------------------------------------------------------

#define REGIONS 16 // asked for at a time

// Gets the first region that ends behind address. Returns false if there is none.
static bool region_behind(u64 address, struct sys_region_info *found)
{
    struct sys_region_info infos[REGIONS];
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = sys_region_list(0, &cursor, infos, sizeof(infos))) > 0) {
        for (u64 i = 0; i < (u64)bytes / sizeof(infos[0]); i++) {
            *found = infos[i];
            if (found->address + found->bytes > address)
                return true;
        }
    }
    return false;
}

static bool is_range(u64 address, u64 bytes)
{
    return address % PAGE == 0 && bytes <= USER_END && address <= USER_END - bytes;
}

// What lies between address and end loses its memory. Regions are not split.
static s64 unmap_part(const struct sys_region_info *region, u64 address, u64 end)
{
    if (region->address + region->bytes > end)
        return E_NOTSUP;
    if (region->address < address)
        return sys_region_resize(region->address, address - region->address);
    return sys_region_destroy(region->address);
}

int munmap(void *address, size_t bytes)
{
    u64 at = (uintptr_t)address;
    struct sys_region_info region;
    if (bytes == 0 || !is_range(at, bytes))
        return (int)posix_result(-EINVAL);
    u64 end = ALIGN_UP(at + bytes, PAGE);
    s64 status = 0;
    while (status == 0 && at < end && region_behind(at, &region) && region.address < end) {
        status = unmap_part(&region, at, end);
        at = region.address + region.bytes;
    }
    return (int)posix_result(-posix_errno(status));
}

// Protects region by region. Returns a negative errno.
static s64 protect_parts(u64 at, u64 end, u32 prot)
{
    struct sys_region_info region;
    s64 status = 0;
    while (status == 0 && at < end) {
        if (!region_behind(at, &region) || region.address > at)
            return -ENOMEM;
        u64 stop = region.address + region.bytes < end ? region.address + region.bytes : end;
        status = sys_region_protect(at, stop - at, prot);
        at = stop;
    }
    return -posix_errno(status);
}

int mprotect(void *address, size_t bytes, int prot)
{
    u64 at = (uintptr_t)address;
    if (at % PAGE != 0)
        return (int)posix_result(-EINVAL);
    if (!is_range(at, bytes))
        return (int)posix_result(-ENOMEM);
    if (bytes == 0)
        return 0;
    u64 end = ALIGN_UP(at + bytes, PAGE);
    s64 status = sys_region_protect(at, end - at, (u32)prot);
    if (status == E_NOENT)
        return (int)posix_result(protect_parts(at, end, (u32)prot));
    return (int)posix_result(-posix_errno(status));
}
