// SPDX-License-Identifier: MIT
// lwIP's network interface over the sys_net_ calls.
#ifndef NET_INTERFACE_H
#define NET_INTERFACE_H

#include <orrery/types.h>

// Opens the device and adds it to lwIP, up, with its static address. 0 or an error.
s64 interface_start(void);
// Takes at most limit frames from the device into lwIP: how many.
u32 interface_receive(u32 limit);

#endif
