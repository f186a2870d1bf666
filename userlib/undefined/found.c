// SPDX-License-Identifier: MIT
// Undefined behaviour in a program ends it, with a report on the console. Undefined behaviour in
// the report itself is passed over.
#include <runtime/undefined.h>
#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>

#define CALLERS 8 // that a report names
#define TEXT_BYTES 512
#define CHECK_NAME "__ubsan_handle_" // and what was wrong: what the compiler calls
#define LR_HOME 16
#define STACK_MAX 0x100000 // further away is no frame of this stack

static u32 found;

// Returns the next outer frame, and the function that it belongs to; NULL: it is no frame of this
// stack.
static const u64 *outer_frame(const u64 *frame, const char **name)
{
    const u64 *caller = (const u64 *)frame[0];
    u64 offset;

    if (caller <= frame || (u64)caller - (u64)frame > STACK_MAX)
        return NULL;
    *name = user_symbol(caller[LR_HOME / sizeof(u64)], &offset);
    return caller;
}

static bool is_check(const char *name)
{
    return name != NULL && strncmp(name, CHECK_NAME, sizeof(CHECK_NAME) - 1) == 0;
}

// Writes who called the check, innermost first: "f < g < main". All are in a call, so their return
// addresses are where the ABI has them.
static __attribute__((noipa)) void callers_text(char text[TEXT_BYTES])
{
    const u64 *frame = __builtin_frame_address(0);
    const char *name = NULL;
    u32 length = 0;

    text[0] = '\0';
    while (frame != NULL && !is_check(name))
        frame = outer_frame(frame, &name);
    for (u32 i = 0; i < CALLERS && length < TEXT_BYTES && frame != NULL; i++) {
        frame = outer_frame(frame, &name);
        if (frame != NULL)
            length += (u32)snprintf(text + length, TEXT_BYTES - length, "%s%s", i == 0 ? "" : " < ",
                                    name != NULL ? name : "?");
    }
}

void undefined_found(const struct undefined_location *where, const char *what)
{
    char callers[TEXT_BYTES];

    if (__atomic_exchange_n(&found, 1, __ATOMIC_RELAXED) != 0)
        return;
    callers_text(callers);
    user_panic("undefined behaviour: %s:%u:%u: %s\n  in %s", where->file, where->line,
               where->column, what, callers);
}

void undefined_end(void)
{
    user_panic("undefined behaviour");
}
