// SPDX-License-Identifier: MIT
// Many capabilities, endpoints, regions, pages and threads of one process.
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/thread.h>
#include <user/time.h>

#include "growth.h"

#define PAGE 4096UL
#define MOST 4000 // of 4,096; the program itself has some
#define ENDPOINTS 1000
#define PAGES 10000
#define THREADS 1000
#define SEGMENTS 1000
#define SEGMENT 0x200000UL         // what a page table maps
#define SEGMENTS_FROM 0x8000000000 // free between the heap and regions without an address
#define RW (PROT_R | PROT_W)

static cap_t memory; // of PAGES
static cap_t caps[MOST];
static u64 regions[MOST];

// ---- capabilities -------------------------------------------------------------------------------

static s64 add_copy(u32 index)
{
    s64 cap = sys_cap_copy(memory);

    caps[index] = (cap_t)cap;
    return cap < 0 ? cap : 0;
}

static void drop_all(u32 count)
{
    for (u32 i = 0; i < count; i++)
        sys_cap_drop(caps[i]);
}

// The lowest free slot is far from the next one.
static s64 lowest_and_highest(u32 count)
{
    sys_cap_drop(caps[count - 1]);
    sys_cap_drop(caps[0]);
    s64 error = add_copy(0);
    return error != 0 ? error : add_copy(count - 1);
}

static const struct things capabilities = {
    .most = MOST,
    .add = add_copy,
    .remove_all = drop_all,
    .operations = {{.name = "capability_slots", .run = lowest_and_highest}},
};

// ---- endpoints ----------------------------------------------------------------------------------

static s64 answer(struct ipc_request *request)
{
    (void)request;
    return 0;
}

static s64 add_endpoint(u32 index)
{
    s64 cap = ipc_endpoint(answer, NULL);

    caps[index] = (cap_t)cap;
    return cap < 0 ? cap : 0;
}

static void close_all(u32 count)
{
    for (u32 i = 0; i < count; i++)
        ipc_endpoint_close(caps[i]);
}

static s64 open_and_close(u32 count)
{
    ipc_endpoint_close(caps[count / 2]);
    return add_endpoint(count / 2);
}

static s64 call_last(u32 count)
{
    struct ipc_message message = {0};

    return ipc_call(caps[count - 1], &message);
}

static const struct things endpoints = {
    .most = ENDPOINTS,
    .add = add_endpoint,
    .remove_all = close_all,
    .operations = {{.name = "endpoint_open_close", .run = open_and_close},
                   {.name = "endpoint_call", .run = call_last}},
};

// ---- regions ------------------------------------------------------------------------------------

static s64 map_one(u32 kind, u64 page, u64 *address)
{
    struct sys_region region = {.bytes = PAGE,
                                .kind = kind,
                                .prot = RW,
                                .memory = kind == REGION_SHARED ? memory : 0,
                                .offset = page * PAGE};
    s64 error = sys_region_create(0, &region);

    *address = region.address;
    return error;
}

static s64 touch_and_unmap(u64 address)
{
    *(volatile u8 *)address = 1;
    return sys_region_destroy(address);
}

static s64 add_region(u32 index)
{
    return map_one(REGION_ANONYMOUS, 0, &regions[index]);
}

static void unmap_all(u32 count)
{
    for (u32 i = 0; i < count; i++)
        sys_region_destroy(regions[i]);
}

static s64 map_touch_unmap(u32 count)
{
    u64 address;
    s64 error = map_one(REGION_ANONYMOUS, 0, &address);

    (void)count;
    return error != 0 ? error : touch_and_unmap(address);
}

// In the middle of the others.
static s64 remap(u32 count)
{
    s64 error = touch_and_unmap(regions[count / 2]);

    return error != 0 ? error : add_region(count / 2);
}

static s64 protect(u32 count)
{
    return sys_region_protect(regions[count / 2], PAGE, RW);
}

static const struct things own_regions = {
    .most = MOST,
    .add = add_region,
    .remove_all = unmap_all,
    .operations = {{.name = "region_map_touch_unmap", .run = map_touch_unmap},
                   {.name = "region_remap", .run = remap},
                   {.name = "region_protect", .run = protect}},
};

// Pages that are far apart, each with a page table of its own.
static s64 add_segment(u32 index)
{
    struct sys_region region = {.address = SEGMENTS_FROM + index * SEGMENT,
                                .bytes = PAGE,
                                .kind = REGION_COMMIT,
                                .prot = RW};
    s64 error = sys_region_create(0, &region);

    regions[index] = region.address;
    if (error == 0)
        error = sys_region_commit(region.address, PAGE, RW);
    if (error == 0)
        *(volatile u8 *)region.address = 1;
    return error;
}

static s64 touch_again(u32 count)
{
    u64 address = regions[count / 2];
    s64 error = sys_region_decommit(address, PAGE);

    if (error == 0)
        error = sys_region_commit(address, PAGE, RW);
    if (error == 0)
        *(volatile u8 *)address = 1;
    return error;
}

static const struct things segments = {
    .most = SEGMENTS,
    .add = add_segment,
    .remove_all = unmap_all,
    .operations = {{.name = "segment_decommit_touch", .run = touch_again}},
};

// Regions of one memory object.
static s64 add_view(u32 index)
{
    return map_one(REGION_SHARED, 0, &regions[index]);
}

static s64 remap_view(u32 count)
{
    s64 error = touch_and_unmap(regions[count / 2]);

    return error != 0 ? error : add_view(count / 2);
}

static const struct things views = {
    .most = MOST,
    .add = add_view,
    .remove_all = unmap_all,
    .operations = {{.name = "memory_object_remap", .run = remap_view}},
};

// ---- pages --------------------------------------------------------------------------------------

static u64 whole;

static s64 add_page(u32 index)
{
    *(volatile u8 *)(whole + index * PAGE) = 1;
    return 0;
}

static s64 map_last(u32 count)
{
    u64 address;
    s64 error = map_one(REGION_SHARED, count - 1, &address);

    return error != 0 ? error : touch_and_unmap(address);
}

static void nothing(u32 count)
{
    (void)count;
}

static const struct things pages = {
    .most = PAGES,
    .add = add_page,
    .remove_all = nothing,
    .operations = {{.name = "memory_page_map_touch_unmap", .run = map_last}},
};

// ---- threads ------------------------------------------------------------------------------------

static struct thread *threads[THREADS];
static volatile bool ending;

static s64 sleep_long(void *argument)
{
    u64 deadline = time_after_us(3600000000UL) + (u64)argument;

    while (!ending)
        thread_park(deadline);
    return 0;
}

// It sleeps from the next time on that the caller gives the CPU to others.
static s64 add_thread(u32 index)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    attributes.stack_bytes = THREAD_STACK_MIN;
    return thread_create(&threads[index], &attributes, sleep_long, (void *)(u64)index);
}

static s64 let_them_sleep(u32 count)
{
    (void)count;
    thread_yield();
    return 0;
}

static void join_all(u32 count)
{
    ending = true;
    for (u32 i = 0; i < count; i++)
        thread_unpark(threads[i]);
    for (u32 i = 0; i < count; i++)
        thread_join(threads[i], NULL);
}

// One of the sleepers wakes, its timer is cancelled, and set again.
static s64 wake_and_sleep(u32 count)
{
    thread_unpark(threads[count / 2]);
    thread_yield();
    return 0;
}

static s64 end_at_once(void *argument)
{
    (void)argument;
    return 0;
}

static s64 create_and_join(u32 count)
{
    struct thread *thread;
    s64 error = thread_create(&thread, NULL, end_at_once, NULL);

    (void)count;
    return error != 0 ? error : thread_join(thread, NULL);
}

static const struct things sleepers = {
    .most = THREADS,
    .add = add_thread,
    .begin = let_them_sleep,
    .remove_all = join_all,
    .operations = {{.name = "thread_wake_sleep", .run = wake_and_sleep},
                   {.name = "thread_create_join", .run = create_and_join}},
};

bool growth_in_kernel(void)
{
    struct sys_region all = {.bytes = PAGES * PAGE, .kind = REGION_SHARED, .prot = RW};
    s64 cap = sys_memory_new("growth", PAGES * PAGE);

    memory = (cap_t)cap;
    all.memory = memory;
    s64 error = cap < 0 ? cap : sys_region_create(0, &all);
    whole = all.address;
    if (error != 0)
        printf("bench-growth: memory: %s\n", orrery_strerror(error));
    return error == 0 && measure_growth(&capabilities) && measure_growth(&endpoints) &&
           measure_growth(&own_regions) && measure_growth(&segments) && measure_growth(&views) &&
           measure_growth(&pages) && measure_growth(&sleepers) && sys_region_destroy(whole) == 0 &&
           sys_cap_drop(memory) == 0;
}
