// SPDX-License-Identifier: MIT
// The word of a call record, and where the fast path finds its fields. Shared by C and assembly.
#ifndef KERNEL_IPC_CALL_LAYOUT_H
#define KERNEL_IPC_CALL_LAYOUT_H

// CPU << 61 | own << 60 | index in the CPU's table << 44 | generation << 2 | state. The id of a
// call is the word of its pending record. Generations begin with 1 and never come to an end.
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

#define CALL_WORD 0
#define CALL_CLIENT 8
#define CALL_SERVER 16 // and the next in one piece
#define CALL_ENDPOINT 24
#define CALL_TOKEN 32

// Parts of struct endpoint_cpu, from the endpoint + 64 * CPU.
#define ENDPOINT_CPUS 256
#define ENDPOINT_CPU_SERVER (ENDPOINT_CPUS + 0) // and the next in one piece
#define ENDPOINT_CPU_COID (ENDPOINT_CPUS + 8)
#define ENDPOINT_CPU_BADGE (ENDPOINT_CPUS + 16)

// Majors of trace events, for assembly.
#define TRACE_SCHED 3
#define TRACE_IPC 12

#endif
