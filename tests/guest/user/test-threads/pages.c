// SPDX-License-Identifier: MIT
// A thread that waits for a page stops nobody else.
// The pages are a file's that this program itself supplies, late.
#include "tests.h"

#include <orrery/memory.h>
#include <string.h>
#include <user/ipc.h>
#include <waiting.h>

#define PAGES 8
#define PAGE 4096
#define WORKED 10 // turns of another thread, while readers wait for a page

static cap_t file;
static u64 fetches; // atomic
static u64 worked;  // read by others

static s64 supply(struct ipc_request *message)
{
    static u8 page[PAGES][PAGE] __attribute__((aligned(PAGE)));
    u64 offset = message->words[1];
    if (message->words[0] != FILE_FETCH)
        return 0;
    u64 before = __atomic_load_n(&worked, __ATOMIC_RELAXED);
    __atomic_fetch_add(&fetches, 1, __ATOMIC_RELAXED);
    EXPECT(WAIT_FOR(__atomic_load_n(&worked, __ATOMIC_RELAXED) >= before + WORKED));
    memset(page[offset / PAGE], (int)(offset / PAGE) + 1, PAGE);
    return sys_file_supply(file, offset, page[offset / PAGE], 0);
}

static s64 touch(void *argument)
{
    return *(volatile u8 *)argument;
}

static s64 work(void *argument)
{
    while (!__atomic_load_n((u32 *)argument, __ATOMIC_RELAXED)) {
        __atomic_store_n(&worked, worked + 1, __ATOMIC_RELAXED);
        thread_yield();
    }
    return 0;
}

static void read_pages(u8 *pages)
{
    struct thread *readers[PAGES], *worker;
    u32 stop = 0;
    EXPECT(thread_create(&worker, NULL, work, &stop) == 0);
    for (u32 i = 0; i < PAGES; i++)
        EXPECT(thread_create(&readers[i], NULL, touch, pages + i * PAGE) == 0);
    for (u32 i = 0; i < PAGES; i++) {
        s64 value = 0;
        EXPECT(thread_join(readers[i], &value) == 0 && value == i + 1);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    EXPECT(thread_join(worker, NULL) == 0);
    EXPECT(__atomic_load_n(&fetches, __ATOMIC_RELAXED) == PAGES);
}

void test_pages(void)
{
    u64 token;
    s64 endpoint = ipc_endpoint(supply, NULL);
    EXPECT(endpoint > 0);
    token = ipc_badge((cap_t)endpoint);
    s64 cap = sys_file_create((cap_t)endpoint, token, "late", PAGES * PAGE);
    EXPECT(cap > 0);
    file = (cap_t)cap;
    struct sys_region region = {
        .bytes = PAGES * PAGE, .kind = REGION_PRIVATE, .prot = PROT_R, .memory = file};
    s64 error = sys_region_create(0, &region);
    EXPECT(error == 0);
    if (error)
        return;
    read_pages((u8 *)region.address);
    EXPECT(sys_region_destroy(region.address) == 0);
    EXPECT(sys_cap_drop(file) == 0);
    EXPECT(ipc_endpoint_close((cap_t)endpoint) == 0);
}
