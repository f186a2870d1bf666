// SPDX-License-Identifier: MIT
// What the kernel code under test calls: locks that check their use, panics that end the test.
#include "host.h"

#include <kernel/panic.h>
#include <kernel/spinlock.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t host_memory;

void spin_lock(struct spinlock *lock)
{
    assert_int_equal(lock->word, 0);
    lock->word = 1;
}

void spin_unlock(struct spinlock *lock)
{
    assert_int_equal(lock->word, 1);
    lock->word = 0;
}

void panic(const char *format, ...)
{
    static char message[256]; // read after the longjmp
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    mock_assert(0, message, __FILE__, __LINE__);
    abort();
}
