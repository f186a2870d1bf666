// SPDX-License-Identifier: MIT
// What tests of a history share: a history of a session of two events, and its cells. Include
// "unit.h" before it.
#ifndef HISTORY_MADE_H
#define HISTORY_MADE_H

#include "gateway/history.h"

#include <string.h>

#define HERTZ 512000000u
#define BOOT 5000
#define SECOND ((u64)HERTZ)
#define CPUS 2

// Tells what is allocated, where the test runs under the address sanitizer.
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static struct history *history;
static struct sample_set session; // what the machine has counted
static const struct sampled_events events = {
    .events = {{.name = "larx", .period = 1000}, {.name = "cycles", .mode = 2, .period = 500}},
    .count = 2};
static u64 random_state = 99, now;
static size_t allocated_before;

static inline size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes == NULL
               ? 0
               : __sanitizer_get_current_allocated_bytes();
}

static inline u64 draw(u64 below)
{
    return unit_random(&random_state) % below;
}

static inline int begin(void **state)
{
    (void)state;
    now = BOOT + 10 * SECOND;
    memset(&session, 0, sizeof(session));
    samples_stream(&session, CPUS - 1, 0);
    allocated_before = allocated();
    history = history_new(HISTORY_BYTES_MIN, BOOT, HERTZ);
    assert_non_null(history);
    history_begin_session(history, now, &events);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    history_free(history);
    samples_free(&session);
    return 0;
}

static inline double ns(double seconds)
{
    return seconds * 1e9;
}

static inline struct sample sample_at(u64 time, u32 event, coid_t coid)
{
    return (struct sample){.time = time,
                           .index = event,
                           .cpu = (u32)draw(CPUS),
                           .weight = 1000,
                           .coid = coid,
                           .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED};
}

// Ends the open cell a second on.
static inline void second(void)
{
    now += SECOND;
    assert_true(history_close_cell(history, now, &session));
}

#endif
