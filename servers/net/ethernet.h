// SPDX-License-Identifier: MIT
// NetInterface: lwIP's network interface over the sys_net_ calls, as a clustered object.
#ifndef NET_ETHERNET_H
#define NET_ETHERNET_H

#include <co/object.h>

// Opens the device and adds it to lwIP, up, with its static address. 0 or an error. The functions
// give the object's children, for the scan: any thread, no lock.
s64 ethernet_start(u32 (*count_children)(void), u32 (*list_children)(coid_t *out, u32 max));
// Takes frames from the device into lwIP, if any have come since it was found empty; at most about
// limit: true when there may be more. Else the main thread is woken when more come. net_lock held.
bool ethernet_receive(u32 limit);
// Frames may wait in the device. Any thread.
bool ethernet_due(void);

#endif
