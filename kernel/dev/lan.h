// SPDX-License-Identifier: MIT
// The Ethernet device (spapr-vlan, PLATFORM.md §5): one, found by the device tree. Not reentrant:
// one thread sends and receives. net.c makes it a NetInterface and gives it to that thread.
#ifndef KERNEL_DEV_LAN_H
#define KERNEL_DEV_LAN_H

#include <orrery/sys.h>

#define LAN_FRAME_MIN 14
#define LAN_FRAME_MAX 1514
#define LAN_RECEIVE_MIN 1536 // a receiver's buffer

// Reasons of trace event net_drop.
enum lan_drop { LAN_DROP_MALFORMED = 1, LAN_DROP_TOO_LONG = 2, LAN_DROP_NO_BUFFER = 3 };

// Starts the device, receive interrupts off; arrived(argument) will be called once after each
// lan_arm, in interrupt context on the calling CPU. E_NOENT without a device, E_NOMEM, E_IO when
// the firmware refuses, E_EXIST when it runs already. Thread context.
int lan_open(u8 mac[6], void (*arrived)(void *), void *argument);

// Sends one frame, synchronously. LAN_FRAME_MIN <= bytes <= LAN_FRAME_MAX. bytes, E_INVAL or E_IO.
s64 lan_send(const void *frame, u64 bytes);
// Copies the next frame, bytes >= LAN_RECEIVE_MIN: its length, 0 when none is there, E_INVAL.
s64 lan_receive(void *buffer, u64 bytes);
// Lets the next frame interrupt. Frames that were there before do not: look once more after it.
void lan_arm(void);
void lan_stat(struct sys_net_stat *stat); // any thread; each count true by itself

#endif
