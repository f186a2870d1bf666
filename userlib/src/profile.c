// SPDX-License-Identifier: MIT
// Overflows of counters, for the program (user/profile.h).
#include <user/profile.h>

#include <user/scheduler.h>

static profile_handler overflow_handler;
static bool registered; // with event.c, for good

static void overflowed(const struct event *event)
{
    profile_handler handler = __atomic_load_n(&overflow_handler, __ATOMIC_ACQUIRE);
    (void)event;
    if (handler)
        handler(&user_page(user_cpu())->overflow);
}

s64 profile_on_overflow(profile_handler handler)
{
    u32 before = user_disable();
    __atomic_store_n(&overflow_handler, handler, __ATOMIC_RELEASE);
    bool first = !__atomic_exchange_n(&registered, true, __ATOMIC_ACQ_REL);
    s64 error = first ? user_on_event(EVENT_OVERFLOW, overflowed) : 0;
    user_enable(before);
    return error;
}

struct profile_counts profile_count(void)
{
    struct profile_counts sum = {0};
    for (u64 left = user_dispatchers(); left != 0; left &= left - 1) {
        const struct dispatcher_page *page = user_page((u32)__builtin_ctzl(left));
        sum.told += page->overflows_reported;
        sum.lost += page->overflows_lost;
    }
    return sum;
}
