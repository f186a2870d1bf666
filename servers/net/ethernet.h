// SPDX-License-Identifier: MIT
// NetInterface: lwIP's network interface over the sys_net_ calls, as a clustered object.
#ifndef NET_ETHERNET_H
#define NET_ETHERNET_H

#include <co/object.h>

// Opens the device and adds it to lwIP, up, with its static address. 0 or an error. The functions
// give the object's children, for the scan: any thread, no lock.
s64 ethernet_start(u32 (*count_children)(void), u32 (*list_children)(coid_t *out, u32 max));
// Takes at most limit frames from the device, and what the machine has sent to itself, into lwIP:
// how many. net_lock held, as below.
u32 ethernet_receive(u32 limit);
// EVENT_KICK with these bits once frames come. Those that came before do not kick.
void ethernet_await(u64 kick_bits);

#endif
