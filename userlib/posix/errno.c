// SPDX-License-Identifier: MIT
// Our errors as errno.
#include "mounts.h"

#include <posix/fd.h>

#include <errno.h>

int posix_errno(s64 error)
{
    static const struct {
        s64 error;
        int number;
    } table[] = {
        {E_INVAL, EINVAL},
        {E_NOMEM, ENOMEM},
        {E_NOENT, ENOENT},
        {E_STALE, EIO},
        {E_BUSY, EBUSY},
        {E_LIMIT, ENOSPC},
        {E_PERM, EACCES},
        {E_FAULT, EFAULT},
        {E_TIMEOUT, ETIMEDOUT},
        {E_AGAIN, EAGAIN},
        {E_EXIST, EEXIST},
        {E_IO, EIO},
        {E_PROTO, EPROTO},
        {E_NOTSUP, ENOTSUP},
        {E_PEER, EIO},
        {E_NOTDIR, ENOTDIR},
        {E_ISDIR, EISDIR},
        {E_NOTEMPTY, ENOTEMPTY},
        {PATH_TOO_LONG, ENAMETOOLONG},
    };
    if (error >= 0)
        return 0;
    for (u32 i = 0; i < ARRAY_SIZE(table); i++) {
        if (table[i].error == error)
            return table[i].number;
    }
    return EIO;
}

s64 posix_result(s64 result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}
