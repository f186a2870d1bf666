// SPDX-License-Identifier: MIT
// Programs are linked as a whole: there is nothing to load.
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static bool failed; // since dlerror was last asked; atomic

static void fail(void)
{
    errno = ENOTSUP;
    __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
}

void *dlopen(const char *path, int flags)
{
    (void)path, (void)flags;
    fail();
    return NULL;
}

void *dlsym(void *library, const char *name)
{
    (void)library, (void)name;
    fail();
    return NULL;
}

int dlclose(void *library)
{
    (void)library;
    fail();
    return -1;
}

char *dlerror(void)
{
    return __atomic_exchange_n(&failed, false, __ATOMIC_RELAXED) ? "no library can be loaded"
                                                                 : NULL;
}
