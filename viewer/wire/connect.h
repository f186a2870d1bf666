// SPDX-License-Identifier: MIT
// A TCP connection to the machine of the thread's link.
#ifndef KOV_CONNECT_H
#define KOV_CONNECT_H

// Connects within the time limit; *fd is non-blocking. KOV_OK, or KOV_CONNECTION with a message
// printed. What link_end does is not seen while the address of a name is looked up.
int connect_socket(int *fd);

#endif
