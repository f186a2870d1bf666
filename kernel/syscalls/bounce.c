// SPDX-License-Identifier: MIT
// Kernel copies of system calls' arguments and results.
#include "bounce.h"

#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/process.h>
#include <string.h>

s64 bounce_result(struct bounce *bounce, u64 user, u64 bytes)
{
    if (user < USER_START || user > USER_END || bytes > USER_END - user)
        return E_FAULT;
    bounce->user = user;
    bounce->bytes = bytes;
    bounce->memory = bytes <= BOUNCE_SMALL ? bounce->small : kmalloc(bytes);
    return bounce->memory != NULL ? 0 : E_NOMEM;
}

s64 bounce_in(struct bounce *bounce, u64 user, u64 bytes)
{
    s64 error = bounce_result(bounce, user, bytes);

    return error != 0 ? error : copy_from_user(bounce->memory, user, bytes);
}

s64 bounce_in_optional(struct bounce *bounce, u64 user, u64 bytes)
{
    return user == 0 ? 0 : bounce_in(bounce, user, bytes);
}

s64 bounce_out(struct bounce *bounce, u64 user, u64 bytes)
{
    s64 error = bounce_result(bounce, user, bytes);

    if (error == 0)
        memset(bounce->memory, 0, bytes);
    return error;
}

s64 bounce_told(struct bounce *bounce, u64 user, u64 bytes)
{
    return bounce_out(bounce, bytes == 0 ? USER_START : user, bytes);
}

// The text may end close to the end of the address space, so its range is checked where it is
// copied.
s64 bounce_string(struct bounce *bounce, u64 user, u64 bytes)
{
    bounce->user = user;
    bounce->bytes = bytes;
    bounce->memory = bytes <= BOUNCE_SMALL ? bounce->small : kmalloc(bytes);
    if (bounce->memory == NULL)
        return E_NOMEM;
    s64 length = copy_string_from_user(bounce->memory, user, bytes);
    return length < 0 ? length : 0;
}

s64 bounce_back(struct bounce *bounce, s64 result, enum bounce_when when)
{
    u64 bytes = bounce->bytes;

    if (when != BOUNCE_ALWAYS && result < 0)
        return result;
    if (when == BOUNCE_RESULT)
        bytes = min_u64(bytes, (u64)result);
    s64 error = copy_to_user(bounce->user, bounce->memory, bytes);
    return error != 0 ? error : result;
}

void bounce_close(struct bounce *bounce)
{
    if (bounce->memory != bounce->small)
        kfree(bounce->memory);
}

bool permitted(u32 right)
{
    return (process_rights(process_current()) & right) != 0;
}
