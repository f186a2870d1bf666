// SPDX-License-Identifier: MIT
// Who one is, and where. There are no users: all are 0.
#include <orrery/sys.h>
#include <posix/fd.h>

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

uid_t getuid(void)
{
    return 0;
}

uid_t geteuid(void)
{
    return 0;
}

gid_t getgid(void)
{
    return 0;
}

gid_t getegid(void)
{
    return 0;
}

struct passwd *getpwuid(uid_t user)
{
    static struct passwd root = {.pw_name = "root",
                                 .pw_passwd = "",
                                 .pw_comment = "",
                                 .pw_gecos = "",
                                 .pw_dir = "/",
                                 .pw_shell = "/bin/sh"};
    return user == 0 ? &root : NULL; // errno stays: nobody is no error
}

int getpagesize(void)
{
    return (int)sysconf(_SC_PAGESIZE);
}

int uname(struct utsname *name)
{
    struct sys_info info;
    s64 status = sys_info(&info);
    if (status < 0)
        return (int)posix_result(-posix_errno(status));
    *name = (struct utsname){.sysname = "Orrery", .nodename = "orrery", .machine = "ppc64"};
    snprintf(name->release, sizeof(name->release), "%.*s",
             (int)strnlen(info.version, sizeof(info.version)), info.version);
    for (u32 i = 0; i < SYS_BUILD_ID_SIZE && 2 * i + 2 < sizeof(name->version); i++)
        snprintf(name->version + (u64)2 * i, 3, "%02x", info.build_id[i]);
    return 0;
}
