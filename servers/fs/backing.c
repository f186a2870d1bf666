// SPDX-License-Identifier: MIT
// Answers the kernel's requests for pages of mapped files (orrery/memory.h).
#include "backing.h"
#include "node.h"
#include "pages.h"

#include <orrery/memory.h>
#include <string.h>
#include <user/ipc.h>

static cap_t kernel_endpoint;

void backing_start(cap_t endpoint)
{
    kernel_endpoint = endpoint;
}

// Who waits gets the page, or the error: of reading it, or that there is no memory for it.
static void supply(const struct backing *backing, u64 offset, const u8 page[PAGE], s64 status)
{
    if (status == 0)
        status = sys_file_supply(backing->memory, offset, page, 0);
    if (status != 0)
        sys_file_supply(backing->memory, offset, page, status);
}

// Supplies a page. If the file has changed since the page was read, reads it again: an old page
// must not be supplied after a change.
static void fetch(struct backing *backing, u64 offset)
{
    u8 page[PAGE];
    coid_t coid = backing->node->root.coid;
    bool supplied = false;
    while (!supplied) {
        u64 before = __atomic_load_n(&backing->changes, __ATOMIC_ACQUIRE);
        s64 bytes = CO_CALL(struct server_file, coid, read, offset, page, PAGE);
        if (bytes >= 0)
            memset(page + bytes, 0, PAGE - (u64)bytes);
        mutex_lock(&backing->lock);
        supplied = backing->changes == before;
        if (supplied)
            supply(backing, offset, page, bytes < 0 ? bytes : 0);
        mutex_unlock(&backing->lock);
    }
}

static void gone(struct backing *backing)
{
    mutex_lock(&backing->lock);
    bool held = backing->held;
    backing->held = false;
    __atomic_store_n(&backing->node->mapped, false, __ATOMIC_SEQ_CST);
    mutex_unlock(&backing->lock);
    if (held)
        node_put(backing->node);
}

// No mapping stores anything (requests.c), so FILE_WRITE never comes.
static s64 handle(struct ipc_request *request)
{
    struct backing *backing = request->context;
    if (request->call != 0 || request->pid != 0)
        return E_NOTSUP; // only the kernel asks here
    switch (request->words[0]) {
    case FILE_FETCH:
        fetch(backing, request->words[1]);
        break;
    case FILE_GONE:
        gone(backing);
        break;
    }
    return 0;
}

static s64 create(struct backing *backing, struct node *node)
{
    s64 bytes = CO_CALL(struct server_file, node->root.coid, bytes);
    if (bytes < 0)
        return bytes;
    s64 status = ipc_badge_create(handle, backing, &backing->badge);
    if (status != 0)
        return status;
    backing->node = node;
    s64 memory = sys_file_create(kernel_endpoint, backing->badge,
                                 node->name != NULL ? node->name : "", (u64)bytes);
    if (memory < 0) {
        ipc_badge_destroy(backing->badge);
        return memory;
    }
    backing->memory = (cap_t)memory;
    return 0;
}

s64 backing_map(struct backing *backing, struct node *node, cap_t *memory)
{
    mutex_lock(&backing->lock);
    s64 status = backing->memory != 0 ? 0 : create(backing, node);
    if (status == 0 && !backing->held) {
        backing->held = true;
        __atomic_store_n(&node->mapped, true, __ATOMIC_SEQ_CST);
        node_hold(node);
    }
    *memory = backing->memory;
    mutex_unlock(&backing->lock);
    return status;
}

void backing_changed(struct backing *backing, u64 bytes)
{
    mutex_lock(&backing->lock);
    __atomic_add_fetch(&backing->changes, 1, __ATOMIC_RELEASE);
    if (backing->memory != 0)
        sys_file_resize(backing->memory, bytes, true);
    mutex_unlock(&backing->lock);
}

void backing_end(struct backing *backing)
{
    if (backing->memory == 0)
        return;
    sys_file_resize(backing->memory, 0, true);
    sys_cap_drop(backing->memory);
    ipc_badge_destroy(backing->badge);
    backing->memory = 0;
}
