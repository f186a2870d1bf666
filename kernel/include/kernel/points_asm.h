// SPDX-License-Identifier: MIT
// Points of fast paths, and their handlers, in assembly (kernel/points.h).
#ifndef KERNEL_POINTS_ASM_H
#define KERNEL_POINTS_ASM_H

#include <kernel/asm_offsets.h>

// clang-format off
// Marks the instruction at label 1 in front: the first wanted handler of \event stands in its
// place.
    .macro fast_point event
    .pushsection .points, "a", @progbits
    .balign 8
    .quad   1b, 0, \event, 0
    .popsection
    .endm

// The same, but a branch to \target while anybody wants \event.
    .macro point event, target
    .pushsection .points, "a", @progbits
    .balign 8
    .quad   1b, \target, \event, 0
    .popsection
    .endm

#define NAMED(event) event, EVENT_##event
#define PERFORMS(event) (1 << EVENT_##event)
// The same, while somebody wants an event of \performs (PERFORMS bits), but has no handler of the
// fast path's point \event.
    .macro gives_way event, performs, target
    .pushsection .points, "a", @progbits
    .balign 8
    .quad   1b, \target, \event, \performs
    .popsection
    .endm
#define NO_EVENT EVENT_NUMBERS // a fast path without a point

// Registers a handler of a fast path's point, name and number. exit: an instruction that goes back
// there, and may be patched to go on to another handler.
    .macro handles_fast name, event, order, entry, exit, observer, wants
    .pushsection .handlers.\name\().\order, "a", @progbits
    .balign 8
    .quad   \event, \wants, \observer, \entry, \exit
    .popsection
    .endm
// clang-format on

#endif
