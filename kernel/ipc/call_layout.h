// SPDX-License-Identifier: MIT
// The word of a call record. Shared by C and assembly.
#ifndef KERNEL_IPC_CALL_LAYOUT_H
#define KERNEL_IPC_CALL_LAYOUT_H

// CPU << 61 | own << 60 | index in the CPU's table << 44 | generation << 2 | state. The id of a
// call is the word of its pending record. Generations begin with 1 and never end.
#define CALL_CPU_SHIFT 61
#define CALL_OWN (1UL << 60) // the record is a dispatcher's own
#define CALL_INDEX_SHIFT 44
#define CALL_INDEX_MASK 0xffffUL
#define CALL_GENERATION (1UL << 2)
#define CALL_STATE_MASK 3UL
#define CALL_FREE 0
#define CALL_PENDING 1
#define CALL_ANSWERED 2
#define CALL_ORPHAN 3

#endif
