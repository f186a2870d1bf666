// SPDX-License-Identifier: MIT
// Events on their way to a dispatcher, within kernel/proc.
#ifndef KERNEL_PROC_EVENTS_H
#define KERNEL_PROC_EVENTS_H

#include <kernel/process.h>

// Tells it that its timer's time has come. Interrupt context, its CPU.
void dispatcher_timer_due(struct dispatcher *dispatcher);
// Makes a dispatcher look at what has changed (events, ending): wakes it, or interrupts it in user
// mode. reason: of trace/reasons.h. Any context but PMI, no lock of rank >= RANK_THREAD held.
void dispatcher_notify(struct dispatcher *dispatcher, u32 reason);
// Gives all queued events back undelivered; it is ending, so no more come. Thread context.
void dispatcher_drop_events(struct dispatcher *dispatcher);

#endif
