// SPDX-License-Identifier: MIT
// The system's console for clients. The kernel keeps the latest output, and takes typed bytes.
#include "kick.h"
#include "programs.h"

#include <orrery/errors.h>
#include <orrery/sys.h>

#define TYPED_MAX 512 // bytes of one sys_console_type

s64 console_output(u64 *position, void *buffer, u64 bytes)
{
    return sys_console_output(position, buffer, bytes);
}

s64 console_await(u64 position)
{
    u64 bits = kick_bits(KICK_OUTPUT);

    return bits == 0 ? E_NOTSUP : sys_console_await(position, bits);
}

s64 console_input(const void *bytes, u64 count)
{
    const char *from = bytes;
    u64 taken = 0;

    while (taken < count) {
        u64 piece = count - taken < TYPED_MAX ? count - taken : TYPED_MAX;
        s64 result = sys_console_type(from + taken, piece);
        if (result < 0)
            return result;
        taken += (u64)result;
        if ((u64)result < piece)
            break;
    }
    return (s64)taken;
}
