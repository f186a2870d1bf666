// SPDX-License-Identifier: MIT
// Runs the tests, or plays a role in them.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
};

static const struct test tests[] = {
#define TEST_ENTRY(name) {#name, name},
    TESTS(TEST_ENTRY)
#undef TEST_ENTRY
};

// Boot option only=NAME runs one.
static bool wanted(const char *name)
{
    char only[64];

    return sys_option("only", only, sizeof(only)) < 0 || strcmp(only, name) == 0;
}

static int run_all(void)
{
    u32 run = 0, failed = 0;

    for (u32 i = 0; i < ARRAY_SIZE(tests); i++) {
        if (!wanted(tests[i].name))
            continue;
        u64 before = check_failures();
        tests[i].run();
        bool good = check_failures() == before;
        printf("%s %s\n", good ? "ok  " : "FAIL", tests[i].name);
        run++;
        failed += !good;
    }
    printf("test-ipc: %u passed, %u failed\n", run - failed, failed);
    return failed != 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return run_all();
    return strcmp(argv[1], "server") == 0 ? server_main() : client_main(argv[1]);
}
