// SPDX-License-Identifier: MIT
// Globals. Their redzones are poisoned when the machine starts; their names are looked up when one
// is hit.
#include "globals.h"

#include <kernel/panic.h>

#include "compiler.h"
#include "shadow.h"

#define FILES_MAX 1024 // source files with globals

static struct {
    const struct global *first;
    u64 count;
} files[FILES_MAX];
static u32 file_count;

extern void (*const constructors_start[])(void);
extern void (*const constructors_end[])(void);

void globals_register(void)
{
    for (void (*const *constructor)(void) = constructors_start; constructor < constructors_end;
         constructor++)
        (*constructor)();
}

void __asan_register_globals(const struct global *globals, u64 count)
{
    if (file_count == FILES_MAX)
        panic("more than %u files with globals", FILES_MAX);
    files[file_count].first = globals;
    files[file_count++].count = count;
    for (u64 i = 0; i < count; i++)
        shadow_set(globals[i].start, globals[i].bytes,
                   globals[i].start + globals[i].bytes_with_redzone, SHADOW_GLOBAL);
}

// The image never leaves memory.
void __asan_unregister_globals(const struct global *globals, u64 count)
{
    (void)globals;
    (void)count;
}

const struct global *globals_find(u64 address)
{
    for (u32 i = 0; i < file_count; i++) {
        for (u64 j = 0; j < files[i].count; j++) {
            const struct global *global = &files[i].first[j];
            if (address - global->start < global->bytes_with_redzone)
                return global;
        }
    }
    return NULL;
}
