// SPDX-License-Identifier: MIT
// The Monitors object: all monitors, for the scan, and the limits on their number.
#ifndef KERNEL_MONITORS_MONITORS_H
#define KERNEL_MONITORS_MONITORS_H

#include <orrery/types.h>

struct monitor;

// Any context but PMI, no lock of rank >= RANK_OBJECT held.
s64 monitors_admit(struct monitor *monitor); // counts a new one of the calling process; E_LIMIT
// Stops counting it. No effect if it does not count.
void monitors_dismiss(const struct monitor *monitor);
// Shows it to the scan, or hides it.
void monitors_add(struct monitor *monitor);
void monitors_remove(struct monitor *monitor);

#endif
