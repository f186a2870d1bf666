// SPDX-License-Identifier: MIT
// POSIX calls by table: what they return, and how they fail. The last line is "test-posix: N
// passed, N failed". tests/unit/posix/tables.c holds the host's own library against the same
// tables.
#include "rows.h"

#include <dlfcn.h>
#include <errno.h>
#include <expect.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utime.h>

// What is so here alone.
static void here(void)
{
    struct utsname name;
    struct rusage usage;
    EXPECT(dlopen("libc.so", RTLD_NOW) == NULL && errno == ENOTSUP);
    EXPECT(dlerror() != NULL && dlerror() == NULL);
    EXPECT(uname(&name) == 0 && strcmp(name.sysname, "Orrery") == 0);
    EXPECT(strcmp(name.machine, "ppc64") == 0 && strlen(name.release) > 0);
    EXPECT(strlen(name.version) > 0 &&
           strspn(name.version, "0123456789abcdef") == strlen(name.version));
    EXPECT(sysconf(_SC_OPEN_MAX) == 256 && getpagesize() == 4096);
    EXPECT(getrusage(RUSAGE_CHILDREN, &usage) == -1 && errno == ENOSYS);
    EXPECT(utime("file", NULL) == -1 && errno == ENOSYS);
    EXPECT(utimes("file", NULL) == -1 && errno == ENOSYS);
    EXPECT(getuid() == 0 && geteuid() == 0 && getgid() == 0 && getegid() == 0);
}

int main(void)
{
    char why[ROW_TEXT_BYTES];
    EXPECT(mkdir("/tmp/posix", 0755) == 0 && chdir("/tmp/posix") == 0);
    rows_prepare();
    for (unsigned i = 0; i < error_row_count; i++)
        expect(row_holds(&error_rows[i], why), __FILE__, __LINE__, why);
    for (unsigned i = 0; i < value_row_count; i++)
        expect(row_holds(&value_rows[i], why), __FILE__, __LINE__, why);
    here();
    return expect_report("test-posix");
}
