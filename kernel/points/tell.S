// SPDX-License-Identifier: MIT
// happens_NAME of each event (kernel/points.h): a branch to what tells all handlers, or, while one
// alone is wanted, to that one. Arguments and return address are the caller's.
#include <kernel/asm.h>
#include <kernel/points.h>
#include <kernel/points_asm.h>

    .macro happens name, event
function happens_\name
1:  b       .tell_\name
    .pushsection .points, "a", @progbits
    .balign 8
    .quad   1b, 0, \event, 1
    .popsection
end_function happens_\name
    .endm

#define HAPPENS_STUB(name, parameters, arguments) happens name, EVENT_##name;
TOLD_EVENTS(HAPPENS_STUB)
