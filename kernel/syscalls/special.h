// SPDX-License-Identifier: MIT
// The functions behind special system calls (syscalls.def): arguments and results in the registers
// of the current dispatcher's frame. Thread context.
#ifndef KERNEL_SYSCALLS_SPECIAL_H
#define KERNEL_SYSCALLS_SPECIAL_H

#include <kernel/frame.h>

void special_wait(struct frame *frame);
void special_poll(struct frame *frame);
void special_resume(struct frame *frame);
void special_call(struct frame *frame);
void special_reply(struct frame *frame);
void special_reply_wait(struct frame *frame);
void special_send(struct frame *frame);

#endif
