// SPDX-License-Identifier: MIT
// Stacks: the shadow of the addresses that they are mapped at is that of their memory. The compiler
// poisons the gaps between a function's variables when it begins, and unpoisons them when it ends.
// Here is what it cannot do.
#include <kernel/memory.h>
#include <kernel/sanitize.h>

#include "compiler.h"
#include "report.h"
#include "shadow.h"

#define STACK_BYTES (STACK_UNIT / 2)

_Static_assert(STACK_BYTES >> SHADOW_SHIFT == PAGE_SIZE, "a stack's shadow is one page");

s64 sanitize_stack_map(u64 bottom, const void *memory)
{
    return mmu_map((u64)shadow_of(bottom), virt_to_phys(shadow_of((u64)memory)), 1,
                   MMU_READ | MMU_WRITE);
}

void sanitize_stack_unmap(u64 bottom)
{
    mmu_unmap((u64)shadow_of(bottom), 1);
}

// Unpoisons a stack above sp. Every stack, at whatever address it is used, is a naturally aligned
// block of STACK_BYTES.
static void forget_frames_above(u64 sp)
{
    shadow_unpoison(sp, ALIGN_UP(sp + 1, STACK_BYTES) - sp);
}

// A report still has to look at the frames that its panic leaves behind.
void __asan_handle_no_return(void)
{
    if (!report_is_ours())
        forget_frames_above((u64)__builtin_frame_address(0));
}

void sanitize_stack_left(void)
{
    forget_frames_above((u64)__builtin_frame_address(0));
}

void __asan_poison_stack_memory(u64 address, u64 bytes)
{
    shadow_poison(address, ALIGN_UP(bytes, SHADOW_GRANULE), SHADOW_STACK_SCOPE);
}

void __asan_unpoison_stack_memory(u64 address, u64 bytes)
{
    shadow_unpoison(address, bytes);
}
