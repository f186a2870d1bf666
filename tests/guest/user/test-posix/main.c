// SPDX-License-Identifier: MIT
// POSIX calls by table: what they return, and how they fail. The last line is "test-posix: N
// passed, N failed". tests/unit/posix/tables.c holds the host's own library against the same
// tables.
#include "locks.h"
#include "rows.h"

#include <dlfcn.h>
#include <errno.h>
#include <expect.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>
#include <wordexp.h>

// The console's settings can be read, and set as they are.
static void terminal_is_as_it_is(void)
{
    struct termios settings;
    EXPECT(isatty(0) == 1 && tcgetattr(0, &settings) == 0);
    EXPECT((settings.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG));
    EXPECT(tcsetattr(0, TCSADRAIN, &settings) == 0 && tcdrain(0) == 0);
    settings.c_lflag &= ~(tcflag_t)ECHO;
    EXPECT(tcsetattr(0, TCSANOW, &settings) == -1 && errno == EINVAL);
    EXPECT(tcsetattr(0, 99, &settings) == -1 && errno == EINVAL);
    EXPECT(tcflush(0, TCIFLUSH) == -1 && errno == ENOTSUP);
    EXPECT(cfsetospeed(&settings, B9600) == 0 && cfgetospeed(&settings) == B9600);
}

// What newlib 3.3 has wrong is as docs/posix.md tells it, or a later one has it right.
static void newlib_errs(void)
{
    double large = scalbn(unknown(-1), INT_MAX - 1022), larger = ldexp(unknown(-1), INT_MAX);
    double power = pow(unknown(-1), unknown(NAN));
    EXPECT(printed("1.00000000000e+12", "%.12g", 1000000000005.0) ||
           printed("1e+12", "%.12g", 1000000000005.0));
    EXPECT(printed(" $s $s", "%2$s %1$s", "a", "b") || printed("b a", "%2$s %1$s", "a", "b"));
    for (int base = 0; base <= 16; base += 16)
        EXPECT(number_of("0xz", base, 0) == 0 || number_of("0xz", base, 1) == 0);
    EXPECT((large == 0 || large == -INFINITY) && (larger == 0 || larger == -INFINITY));
    EXPECT(power == 1 || isnan(power));
}

// What is so here alone.
static void here(void)
{
    struct utsname name;
    struct rusage usage;
    wordexp_t words = {.we_wordc = 7};
    EXPECT(dlopen("libc.so", RTLD_NOW) == NULL && errno == ENOTSUP);
    EXPECT(dlerror() != NULL && dlerror() == NULL);
    EXPECT(wordexp("a $HELD", &words, 0) == WRDE_NOSYS && words.we_wordc == 7);
    wordfree(&words);
    EXPECT(uname(&name) == 0 && strcmp(name.sysname, "Orrery") == 0);
    EXPECT(strcmp(name.machine, "ppc64") == 0 && strlen(name.release) > 0);
    EXPECT(strlen(name.version) > 0 &&
           strspn(name.version, "0123456789abcdef") == strlen(name.version));
    EXPECT(sysconf(_SC_OPEN_MAX) == 256 && getpagesize() == 4096);
    EXPECT(getrusage(RUSAGE_CHILDREN, &usage) == -1 && errno == ENOSYS);
    terminal_is_as_it_is();
    EXPECT(MB_LEN_MAX == 4 && MB_CUR_MAX == 4);
    EXPECT(wide("\xf4\x90\x80\x80", 4) == -1 && errno == EILSEQ);
    EXPECT(narrow(0x110000, "") == -1 && errno == EILSEQ);
    EXPECT(getuid() == 0 && geteuid() == 0 && getgid() == 0 && getegid() == 0);
}

static void all_hold(const char *table, const struct row *rows, unsigned count)
{
    char why[ROW_TEXT_BYTES];
    unsigned held = 0;
    for (unsigned i = 0; i < count; i++) {
        bool holds = row_holds(&rows[i], why);
        expect(holds, __FILE__, __LINE__, why);
        held += holds;
    }
    printf("%s: %u of %u rows hold\n", table, held, count);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return locks_command(argv[1]);
    EXPECT(mkdir("/tmp/posix", 0755) == 0 && chdir("/tmp/posix") == 0);
    rows_prepare();
    all_hold("errors.def", error_rows, error_row_count);
    all_hold("values.def", value_rows, value_row_count);
    here();
    newlib_errs();
    locks_of_several();
    return expect_report("test-posix");
}
