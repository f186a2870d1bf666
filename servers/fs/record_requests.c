// SPDX-License-Identifier: MIT
// The functions behind ipc/fs.idl that are about record locks.
#include "opening.h"
#include "records.h"

#include <ipc/fs.h>

// What is asked for, checked. Returns 0 or an error.
static s64 check(const struct opening *opening, const struct record_range *range)
{
    if (range->kind > FS_LOCK_WRITE || range->start > range->last)
        return E_INVAL;
    return opening->node != NULL && opening->node->kind == FS_KIND_FILE ? 0 : E_NOTSUP;
}

static s64 lock(const struct opening *opening, const struct record_range *range, u64 call)
{
    s64 status = check(opening, range);
    if (status != 0)
        return status;
    if ((range->kind == FS_LOCK_READ && (opening->flags & FS_READ) == 0) ||
        (range->kind == FS_LOCK_WRITE && (opening->flags & FS_WRITE) == 0))
        return E_PERM;
    return records_set(opening->node, range, call);
}

s64 fs_server_lock(struct ipc_caller *caller, u64 file, u32 kind, u64 start, u64 last, u32 flags)
{
    struct record_range range = {.pid = caller->pid, .kind = kind, .start = start, .last = last};
    if ((flags & ~FS_LOCK_WAIT) != 0)
        return E_INVAL;
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    return lock(opening, &range, (flags & FS_LOCK_WAIT) != 0 ? caller->call : 0);
}

s64 fs_server_lock_test(struct ipc_caller *caller, u64 file, u32 kind, u64 start, u64 last,
                        struct fs_record *record)
{
    struct record_range range = {.pid = caller->pid, .kind = kind, .start = start, .last = last};
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    s64 status = check(opening, &range);
    bool found = status == 0 && kind != FS_LOCK_NONE && records_find(opening->node, &range);
    *record = (struct fs_record){.start = range.start, .last = range.last, .pid = range.pid};
    record->kind = found ? range.kind : FS_LOCK_NONE;
    return status;
}
