// SPDX-License-Identifier: MIT
// What open files can do besides.
#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#define FIONBIO 0x5421 // int *: O_NONBLOCK if it is not 0

// Returns 0, or -1 and errno: EBADF; ENOTTY for all other requests.
int ioctl(int fd, unsigned long request, ...);

#endif
