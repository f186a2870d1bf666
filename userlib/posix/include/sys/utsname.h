// SPDX-License-Identifier: MIT
// What system this is.
#ifndef _SYS_UTSNAME_H
#define _SYS_UTSNAME_H

#define _UTSNAME_LENGTH 65

struct utsname {
    char sysname[_UTSNAME_LENGTH];  // "Orrery"
    char nodename[_UTSNAME_LENGTH]; // "orrery"
    char release[_UTSNAME_LENGTH];  // the kernel's version
    char version[_UTSNAME_LENGTH];  // its build, in hexadecimal
    char machine[_UTSNAME_LENGTH];  // "ppc64"
};

// Returns 0, or -1 and errno.
int uname(struct utsname *name);

#endif
