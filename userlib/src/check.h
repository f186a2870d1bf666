// SPDX-License-Identifier: MIT
// Assertions of the library.
#ifndef USERLIB_CHECK_H
#define USERLIB_CHECK_H

#include <user/scheduler.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            user_panic("%s: %s", __func__, #condition);                                            \
    } while (0)

#endif
