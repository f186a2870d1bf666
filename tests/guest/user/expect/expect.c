// SPDX-License-Identifier: MIT
#include <expect.h>

#include <stdio.h>

#define SHOWN 20

static unsigned long passed, failed; // atomic

void expect(bool holds, const char *file, int line, const char *text)
{
    if (holds)
        __atomic_add_fetch(&passed, 1, __ATOMIC_RELAXED);
    else if (__atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED) <= SHOWN)
        printf("FAILED %s:%d: %s\n", file, line, text);
}

int expect_status(void)
{
    return __atomic_load_n(&failed, __ATOMIC_RELAXED) != 0;
}

int expect_report(const char *name)
{
    printf("%s: %lu passed, %lu failed\n", name, passed, failed);
    return expect_status();
}
