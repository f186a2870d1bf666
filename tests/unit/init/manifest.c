// SPDX-License-Identifier: MIT
// The manifest: right lines are taken, wrong ones cost their own service only.
#include "backoff.h"
#include "manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct manifest manifest;
static u32 complaints, complaint_line;
static const char *complaint;

static void complain(u32 line, const char *what)
{
    complaints++;
    complaint_line = line;
    complaint = what;
}

static void parse(const char *text)
{
    char *copy = strdup(text);
    complaints = 0;
    complaint = "";
    manifest_parse(copy, &manifest, complain);
    free(copy);
}

static void the_manifest_itself_is_right(void **state)
{
    (void)state;
    static char text[8192];
    FILE *file = fopen("servers/init/manifest", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    parse(text);
    assert_int_equal(complaints, 0);
    assert_true(manifest.count >= 3);
    assert_int_equal(manifest_find(&manifest, "fs"), 0);
    assert_true(manifest_find(&manifest, "shell") > 0);
}

static void everything_is_read(void **state)
{
    (void)state;
    parse("# comment\n\nfs bin/fs rights=initrd,server priority=server\n"
          "  net\tbin/net needs=fs restart=failure memory=64 priority=low -- -v eth0 x=y\n"
          "sh bin/sh rights=all needs=fs,net console unnamed restart=never");
    assert_int_equal(complaints, 0);
    assert_int_equal(manifest.count, 3);
    const struct service_plan *plan = &manifest.services[0];
    assert_string_equal(plan->program, "bin/fs");
    assert_int_equal(plan->rights, RIGHT_INITRD | RIGHT_SERVER);
    assert_int_equal(plan->priority, PROCESS_SERVER);
    assert_int_equal(plan->restart, RESTART_ALWAYS);
    plan = &manifest.services[1];
    assert_int_equal(plan->rights, 0);
    assert_int_equal(plan->needs, 1);
    assert_int_equal(plan->restart, RESTART_FAILURE);
    assert_int_equal(plan->memory_limit, 64UL << 20);
    assert_int_equal(plan->argument_count, 3);
    assert_string_equal(plan->arguments[2], "x=y");
    plan = &manifest.services[2];
    assert_true(plan->console && plan->unnamed && plan->needs == 3 && plan->rights == RIGHT_ALL);
    assert_int_equal(plan->restart, RESTART_NEVER);
}

static void wrong_lines_cost_their_service_only(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"x", "no program"},
        {"a-name-that-is-much-longer-than-thirty-one bin/x", "name too long"},
        {"fs bin/x", "has this name"},
        {"x bin/x rights=everything", "unknown right"},
        {"x bin/x needs=y", "is not listed above"},
        {"x bin/x needs=x", "is not listed above"},
        {"x bin/x needs=later", "is not listed above"},
        {"x bin/x memory=0", "megabytes"},
        {"x bin/x memory=12M", "megabytes"},
        {"x bin/x memory=-1", "megabytes"},
        {"x bin/x priority=9", "unknown priority"},
        {"x bin/x restart=maybe", "unknown restart"},
        {"x bin/x fast", "unknown option"},
        {"x bin/x colour=red", "unknown option"},
        {"x bin/x -- 1 2 3 4 5 6 7 8 9", "too many arguments"},
    };
    char text[400];
    for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
        snprintf(text, sizeof(text), "fs bin/fs\n%s\nlater bin/later needs=fs\n", wrong[i].line);
        parse(text);
        assert_int_equal(complaints, 1);
        assert_int_equal(complaint_line, 2);
        if (strstr(complaint, wrong[i].message) == NULL)
            fail_msg("%s: %s", wrong[i].line, complaint);
        assert_int_equal(manifest.count, 2);
    }
}

static void names_are_reserved_for_rights(void **state)
{
    char text[] = "log - rights=monitor\nfs bin/fs\nfs - rights=net\nlog bin/l\nfree -\n"
                  "more - rights=net,block\n";
    (void)state;
    parse(text);
    assert_int_equal(complaints, 3); // two that are taken, and one without rights
    assert_int_equal(manifest.count, 1);
    assert_int_equal(manifest_find(&manifest, "log"), -1);
    assert_int_equal(manifest_reserved(&manifest, "log"), RIGHT_MONITOR);
    assert_int_equal(manifest_reserved(&manifest, "more"), RIGHT_NET | RIGHT_BLOCK);
    assert_int_equal(manifest_reserved(&manifest, "fs"), 0);
    assert_int_equal(manifest_reserved(&manifest, "free"), 0);
}

static void there_is_a_limit_of_services(void **state)
{
    (void)state;
    char text[1000] = "", line[30];
    for (u32 i = 0; i < SERVICES_MAX + 5; i++) {
        snprintf(line, sizeof(line), "s%u bin/s\n", i);
        strcat(text, line);
    }
    parse(text);
    assert_int_equal(complaints, 1);
    assert_int_equal(manifest.count, SERVICES_MAX);
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    static const char *const parts[] = {"fs",  " ",      "\n", "bin/fs", "rights=", ",",
                                        "all", "needs=", "=",  "--",     "memory=", "9",
                                        "\t",  "#",      "x",  "\r",     "console"};
    char text[400];
    srand(4);
    for (u32 round = 0; round < 50000; round++) {
        text[0] = '\0';
        for (u32 i = 0; i < (u32)rand() % 40; i++)
            strcat(text, parts[(u32)rand() % ARRAY_SIZE(parts)]);
        parse(text);
        assert_true(manifest.count <= SERVICES_MAX);
    }
}

static void pauses_double_up_to_a_limit(void **state)
{
    (void)state;
    u64 pause = 0;
    static const u64 expected[] = {100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000};
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++) {
        pause = backoff_next(pause, 50);
        assert_int_equal(pause, expected[i]);
    }
    assert_int_equal(backoff_next(pause, BACKOFF_FORGIVEN_MS), BACKOFF_FIRST_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manifest_itself_is_right),
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(wrong_lines_cost_their_service_only),
        cmocka_unit_test(names_are_reserved_for_rights),
        cmocka_unit_test(there_is_a_limit_of_services),
        cmocka_unit_test(noise_does_no_harm),
        cmocka_unit_test(pauses_double_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("init_manifest", tests, NULL, NULL);
}
