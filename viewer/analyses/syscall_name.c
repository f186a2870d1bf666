// SPDX-License-Identifier: MIT
// Names of system calls.
#include "analyses/syscall_name.h"
#include "tools/kov.h"

#include <string.h>
#include <syscalls/names.h>

#define ROW(number, name) {number, name},
static const struct {
    u64 number;
    const char *name;
} calls[] = {SYSCALL_NAMES(ROW)};

const char *syscall_name(u64 number)
{
    for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
        if (calls[i].number == number)
            return calls[i].name;
    return "?";
}

bool syscall_number(const char *name, u64 *number)
{
    for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
        if (strcmp(calls[i].name, name) == 0) {
            *number = calls[i].number;
            return true;
        }
    return false;
}
