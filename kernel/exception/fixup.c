// SPDX-License-Identifier: MIT
// Exception fixups: accesses that may fault name a place to continue at (section .fixups).
#include "exception.h"

#include <kernel/memory.h>
#include <trace/events.h>

struct fixup {
    u64 faulting, resume;
};

extern const struct fixup fixups_start[], fixups_end[];

int safe_read_bytes(void *to, const void *from, u64 bytes);

// The table is short (a handful of accesses), so a linear search will do.
bool fixup_apply(struct frame *frame)
{
    for (const struct fixup *fixup = fixups_start; fixup < fixups_end; fixup++) {
        if (fixup->faulting == frame->pc) {
            trace_fixup(frame->pc, frame->dar);
            frame->pc = fixup->resume;
            return true;
        }
    }
    return false;
}

int safe_read(void *to, const void *from, u64 bytes)
{
    return bytes == 0 ? 0 : safe_read_bytes(to, from, bytes);
}
