// SPDX-License-Identifier: MIT
// The Monitors object: all there are, for the scan, and how many somebody may have.
#ifndef KERNEL_MONITORS_MONITORS_H
#define KERNEL_MONITORS_MONITORS_H

#include <orrery/types.h>

struct monitor;

// Any context but PMI, no lock of rank >= RANK_OBJECT held.
s64 monitors_admit(struct monitor *monitor); // a new one of the calling process; E_LIMIT
// It counts no more, for the limits. No effect if it does not.
void monitors_dismiss(const struct monitor *monitor);
// It is found in the scan, or no more.
void monitors_add(struct monitor *monitor);
void monitors_remove(struct monitor *monitor);

#endif
