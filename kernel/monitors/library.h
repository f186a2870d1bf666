// SPDX-License-Identifier: MIT
// How a process's library learns that monitors want to be told something.
#ifndef KERNEL_MONITORS_LIBRARY_H
#define KERNEL_MONITORS_LIBRARY_H

struct monitor_tracks;

// Writes what those that run want into the dispatcher's page. Soft-masked, on the thread's CPU.
void monitors_library_learns(const struct monitor_tracks *tracks);

#endif
