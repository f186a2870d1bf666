// SPDX-License-Identifier: MIT
// A store that may be refused: the data storage handler continues at its fixup, as for the
// kernel's safe reads (kernel/exception/safe_read.S).
#include <kernel/asm.h>

// int guest_try_store(u64 *to, u64 value): 0 or E_FAULT.
function guest_try_store
1:  std     r4, 0(r3)
    li      r3, 0
    blr
2:  li      r3, -8
    blr
end_function guest_try_store
    .section .fixups, "a"
    .quad   1b, 2b
    .text
