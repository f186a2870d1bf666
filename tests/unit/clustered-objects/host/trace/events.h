// SPDX-License-Identifier: MIT
// Stand-in for the generated trace points: counts the events by kind.
#ifndef HOST_TRACE_EVENTS_H
#define HOST_TRACE_EVENTS_H

#include <orrery/types.h>

struct host_events {
    u64 creates, destroys, reclaims, misses, swaps, swaps_failed;
};
extern struct host_events host_events;

static inline void host_event(u64 *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static inline void trace_obj_create(u64 coid, u32 class_id, u32 bytes, u64 address)
{
    (void)coid;
    (void)class_id;
    (void)bytes;
    (void)address;
    host_event(&host_events.creates);
}

static inline void trace_obj_destroy(u64 coid)
{
    (void)coid;
    host_event(&host_events.destroys);
}

static inline void trace_obj_reclaim(u64 coid)
{
    (void)coid;
    host_event(&host_events.reclaims);
}

static inline void trace_obj_miss(u64 coid, u64 root)
{
    (void)coid;
    (void)root;
    host_event(&host_events.misses);
}

static inline void trace_obj_swap(u64 coid, u64 from_class, u64 to_class, s64 error, u64 ticks)
{
    (void)coid;
    (void)from_class;
    (void)to_class;
    (void)ticks;
    host_event(error == 0 ? &host_events.swaps : &host_events.swaps_failed);
}

#endif
