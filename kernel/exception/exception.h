// SPDX-License-Identifier: MIT
// Between the parts of exception handling.
#ifndef KERNEL_EXCEPTION_EXCEPTION_H
#define KERNEL_EXCEPTION_EXCEPTION_H

#include <kernel/frame.h>

#define VECTOR_RESET 0x100
#define VECTOR_MACHINE_CHECK 0x200
#define VECTOR_DATA_STORAGE 0x300
#define VECTOR_DATA_SEGMENT 0x380
#define VECTOR_INSTRUCTION_STORAGE 0x400
#define VECTOR_EXTERNAL 0x500
#define VECTOR_DECREMENTER 0x900

// Applies the fixup of the faulting pc: sets the frame to continue there. Returns false if it has
// none. Any context.
bool fixup_apply(struct frame *frame);

// Fills in the registers of its caller. vector, dar and the like stay as they are. Any context.
void frame_capture(struct frame *frame);

// Returns what an exception did with a NULL pointer: "read", "write" or "call". NULL: it was
// another address. offset: from NULL. Any context.
const char *exception_null_access(const struct frame *frame, u64 *offset);

// Handles an external or decrementer interrupt, with a thread switch after it if one is due. When
// soft-masked it leaves the interrupt pending. MSR[EE] off, before and after.
void interrupt_handle(struct frame *frame);

// Handles any other exception too. From exception_entry, MSR[EE] off, any soft-mask state; returns
// with EE off.
void exception_handle(struct frame *frame);

// Parts of panics and reports of lockups (report.c): an address with its function, a stack, the
// spin locks that a CPU has and waits for, and what a CPU does. frame: where it is, NULL: unknown.
struct percpu;
void report_address(const char *what, u64 address);
void report_stack(const struct frame *frame);
void report_locks(const struct percpu *block);
void report_cpu(u32 cpu, const struct frame *frame);

#endif
