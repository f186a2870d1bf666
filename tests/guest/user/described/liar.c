// SPDX-License-Identifier: MIT
// Descriptions that must be refused: what is in them would stand in others' texts.
#include "liar.h"

#include <orrery/errors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <trace/table.h>

static const struct sys_trace_description honest = {
    .provider = "liar",
    .name = "one",
    .format = "a=%lu t=%s",
    .field_count = 2,
    .types = {TRACE_U64, TRACE_TEXT},
    .fields = {"a", "t"},
};

static unsigned accepted;

static void refused(const char *what, const void *list, u64 bytes, s64 error)
{
    s64 got = sys_trace_describe(list, bytes);
    if (got == error)
        return;
    printf("FAIL %s: %ld\n", what, got);
    accepted++;
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct sys_trace_description one = honest;                                                 \
        change;                                                                                    \
        refused(#change, &one, sizeof(one), E_INVAL);                                              \
    } while (0)

static void lie_in_texts(void)
{
    REFUSED(strcpy(one.name, "o\";"));
    REFUSED(strcpy(one.name, "One"));
    REFUSED(memset(one.name, 'a', sizeof(one.name)));
    REFUSED(one.name[20] = 'x');
    REFUSED(strcpy(one.provider, ""));
    REFUSED(strcpy(one.provider, "sched"));
    REFUSED(strcpy(one.fields[0], "a; }"));
    REFUSED(strcpy(one.fields[1], "a"));
    REFUSED(strcpy(one.format, "a=%n t=%s"));
    REFUSED(strcpy(one.format, "a=%s t=%lu"));
    REFUSED(strcpy(one.format, "a=%lu t=%s %s"));
    REFUSED(strcpy(one.format, "a=%lu"));
    REFUSED(strcpy(one.format, "a=%lu t=%s \""));
    REFUSED(strcpy(one.format, "a=%lu t=%s\n"));
    REFUSED(strcpy(one.format, "a=%1000000lu t=%s"));
}

static void lie_in_numbers(void)
{
    REFUSED(one.field_count = 3);
    REFUSED(one.field_count = 0xffffffff);
    REFUSED(one.types[0] = TRACE_TEXT);
    REFUSED(one.types[0] = 255);
    REFUSED(one.types[0] = TRACE_U32);
    REFUSED(one.types[7] = 1);
    refused("half a description", &honest, sizeof(honest) - 1, E_INVAL);
    refused("none", &honest, 0, E_INVAL);
    refused("many", &honest, 1UL << 40, E_INVAL);
    refused("no address", (const void *)16, sizeof(honest), E_FAULT);
}

unsigned take_all(const char *names)
{
    struct sys_trace_description one = honest;
    unsigned got = 0;
    s64 error;
    do
        snprintf(one.name, sizeof(one.name), "%s%u", names, got);
    while ((error = sys_trace_describe(&one, sizeof(one))) >= 0 && ++got <= SYS_TRACE_DESCRIBE_MAX);
    memset(one.name, 0, sizeof(one.name));
    snprintf(one.name, sizeof(one.name), "%s0", names);
    if (error != E_LIMIT || (got > 0 && sys_trace_describe(&one, sizeof(one)) < 0))
        accepted++;
    printf("described: %u events\n", got);
    return accepted;
}

unsigned lie(void)
{
    lie_in_texts();
    lie_in_numbers();
    return accepted;
}
