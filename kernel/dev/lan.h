// SPDX-License-Identifier: MIT
// The Ethernet device (spapr-vlan): one, found by the device tree. Not reentrant:
// one call at a time. net.c makes it a NetInterface and gives it to a process, whose memory the
// device's calls read and write.
#ifndef KERNEL_DEV_LAN_H
#define KERNEL_DEV_LAN_H

#include <orrery/sys.h>

#define LAN_FRAME_MIN 14
#define LAN_FRAME_MAX 1514

// Reasons of trace event net_drop.
enum lan_drop {
    LAN_DROP_MALFORMED = 1,
    LAN_DROP_TOO_LONG = 2,
    LAN_DROP_NO_BUFFER = 3,
    LAN_DROP_FAULT = 4
};

// Starts the device, receive interrupts off. arrived(argument) will be called once after each
// lan_arm, in interrupt context on the calling CPU. E_NOENT: no device; E_NOMEM; E_IO: the firmware
// refuses; E_EXIST: it runs already. Thread context.
int lan_open(u8 mac[6], void (*arrived)(void *), void *argument);

// Sends one frame out of the current process's memory, synchronously. LAN_FRAME_MIN <= bytes <=
// LAN_FRAME_MAX. Returns bytes, E_INVAL, E_FAULT or E_IO. May block for a page.
s64 lan_send(u64 frame, u64 bytes);
// Copies the next frame to SYS_NET_ROOM_BYTES of the current process's memory. Returns its length,
// 0 if none is there, or E_FAULT: it is lost. May block for a page.
s64 lan_receive(u64 to);
// Lets the next frame interrupt. Frames that were there before do not: look once more after it.
void lan_arm(void);
void lan_stat(struct sys_net_stat *stat); // any thread; each count true by itself

#endif
