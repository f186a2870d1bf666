// SPDX-License-Identifier: MIT
// Exceptions from user mode and the way back. Shared by C and assembly.
//
// A dispatcher's kernel stack begins at kernel_stack (a back chain of 0 lies there). Right below is
// the frame of its user code, always at the same place. What the kernel does for it lies below
// that.
#ifndef KERNEL_EXCEPTION_USER_H
#define KERNEL_EXCEPTION_USER_H

#include <kernel/frame.h>

#define USER_FRAME 0x1e0    // 0x80 for the callee, struct frame
#define USER_STACK_TOP 0x80 // kernel_stack is this far below the top
#define USER_MSR 0x800000000000d032
#define MSR_PR 0x4000
#define SWITCH_FRAME 0x100 // of thread_switch

// Registers that user code can write and that the kernel keeps for nobody: whoever runs next on the
// CPU finds them cleared.
#define SPR_VRSAVE 256
#define SPR_PPR 896

#ifndef __ASSEMBLER__
#include <kernel/process.h>

#include "proc/dispatcher.h"

static inline struct frame *user_frame(const struct dispatcher *dispatcher)
{
    return (struct frame *)(dispatcher->kernel_stack - USER_FRAME + FRAME_GPR);
}

// Returns where a special system call has its arguments and takes its event: r3 ... r12.
static inline struct event *user_registers(const struct dispatcher *dispatcher)
{
    return (struct event *)&user_frame(dispatcher)->gpr[3];
}

// Clears them. ipc/fast_path.S does the same.
static inline void clear_unkept(void)
{
    __asm__ volatile("mtspr %0,%2\n"
                     "mtspr %1,%2" ::"i"(SPR_VRSAVE),
                     "i"(SPR_PPR), "r"(0UL));
}

// Continues a dispatcher that slept in a special system call (user_entry.S). Not called:
// thread_switch returns to it from a frame that user_resume_stack makes.
void user_resume(void);
// Prepares an empty kernel stack that goes on so. Returns its stack pointer, for thread_switch.
static inline u64 user_resume_stack(const struct dispatcher *dispatcher)
{
    u64 frame = dispatcher->kernel_stack - USER_FRAME;

    *(u64 *)(frame + 16) = *(u64 *)user_resume; // the entry's address, from its descriptor
    return frame - SWITCH_FRAME;
}

// Handles an exception from exception_entry, or a special system call. MSR[EE] off; the frame is
// user_frame(). Returns with EE off, after user_exit.
void user_exception(struct frame *frame);
// Does what has to be done before user mode, if anything. EE off, before and after.
void user_exit(struct frame *frame);
// Enters user mode as the current dispatcher's frame says (user_entry.S). EE off.
void user_enter(u64 kernel_stack) __attribute__((noreturn));
// Returns the address at which code of this process that was interrupted at pc has to begin again.
u64 user_rollback(const struct sys_process_image *image, u64 pc);
// Tells on the console why the current process ends, and what its registers have.
void user_report(const struct frame *frame, const char *why);
void user_report_registers(const struct frame *frame);
#endif
#endif
