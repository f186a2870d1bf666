// SPDX-License-Identifier: MIT
// A machine without a disk, for tests that need none.
#include <orrery/errors.h>
#include <orrery/sys.h>

s64 sys_block_info(struct sys_block_info *info)
{
    (void)info;
    return E_NOENT;
}

s64 sys_block_read(u64 offset, void *buffer, u64 bytes)
{
    (void)offset, (void)buffer, (void)bytes;
    return E_NOENT;
}

s64 sys_block_write(u64 offset, const void *buffer, u64 bytes)
{
    (void)offset, (void)buffer, (void)bytes;
    return E_NOENT;
}

s64 sys_block_flush(void)
{
    return E_NOENT;
}
