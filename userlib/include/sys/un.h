// SPDX-License-Identifier: MIT
// Addresses of sockets that have names of files, so that programs compile: there are none, and
// socket() fails with EAFNOSUPPORT.
#ifndef _SYS_UN_H
#define _SYS_UN_H

#include <sys/socket.h>

#ifndef AF_UNIX
#define AF_UNIX 1
#define PF_UNIX AF_UNIX
#define AF_LOCAL AF_UNIX
#endif

struct sockaddr_un {
    sa_family_t sun_family;
    char sun_path[108];
};

#endif
