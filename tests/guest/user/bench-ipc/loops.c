// SPDX-License-Identifier: MIT
// The inner loops of calls and of serving them: nothing but what a call needs. Both run disabled,
// as the library's own loops do, and leave all other events to the library.
#include "bench.h"

#include <syscalls/numbers.h>

#define TOKEN 77

void event_handle(const struct event *event); // the library's
void event_wait(struct event *event);

// Registers r3 … r12 of a special system call, in and out.
#define REGISTERS                                                                                  \
    register u64 r0 __asm__("r0");                                                                 \
    register u64 r3 __asm__("r3");                                                                 \
    register u64 r4 __asm__("r4");                                                                 \
    register u64 r5 __asm__("r5");                                                                 \
    register u64 r6 __asm__("r6");                                                                 \
    register u64 r7 __asm__("r7");                                                                 \
    register u64 r8 __asm__("r8");                                                                 \
    register u64 r9 __asm__("r9");                                                                 \
    register u64 r10 __asm__("r10");                                                               \
    register u64 r11 __asm__("r11");                                                               \
    register u64 r12 __asm__("r12")
#define SYSTEM_CALL()                                                                              \
    __asm__ volatile("sc"                                                                          \
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8),       \
                       "+r"(r9), "+r"(r10), "+r"(r11), "+r"(r12)                                   \
                     :                                                                             \
                     : "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7", "memory")
#define EVENT                                                                                      \
    {                                                                                              \
        .type = r3, .id = r4, .badge = r5, .info = r6, .words = {r7, r8, r9, r10, r11, r12},       \
    }

// Something else came: the library's, until the answer is there. Its status.
static __attribute__((noinline)) s64 wait_for_answer(struct event *event)
{
    while (event->type != EVENT_REPLY || event->id != TOKEN) {
        event_handle(event);
        event_wait(event);
    }
    return (s64)event->badge;
}

s64 pingpong(cap_t cap, u64 count, u64 info)
{
    REGISTERS;
    s64 failed = 0;

    r7 = r8 = r9 = r10 = r11 = r12 = 0;
    while (count-- != 0 && failed == 0) {
        r0 = SYS_CALL;
        r3 = cap;
        r4 = TOKEN;
        r5 = CALL_ALONE;
        r6 = info;
        SYSTEM_CALL();
        failed = (s64)r5;
        if (__builtin_expect(r3 != EVENT_REPLY || r4 != TOKEN, 0)) {
            struct event event = EVENT;
            failed = wait_for_answer(&event);
        }
    }
    return failed;
}

static __attribute__((noinline)) void wait_for_call(struct event *event)
{
    while (!event_is_call(event)) {
        event_handle(event);
        event_wait(event);
    }
}

void serve_raw(void)
{
    REGISTERS;

    r3 = r4 = r5 = r6 = r7 = r8 = r9 = r10 = r11 = r12 = 0;
    for (;;) {
        if (__builtin_expect((u32)r3 != EVENT_CALL, 0)) {
            struct event event = EVENT;
            wait_for_call(&event);
            r4 = event.id;
            r6 = event.info;
        }
        r0 = SYS_REPLY_WAIT;
        r5 = 0;
        SYSTEM_CALL();
    }
}
