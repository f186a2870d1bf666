// SPDX-License-Identifier: MIT
// Scans of all objects of the kernel and of all processes, by a thread, as the DCI server makes
// them, without anybody to send them to.
#include "costs.h"

#include <co/manager.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <stdio.h>
#include <user/thread.h>

#define PERIOD_US 20000
#define PIDS_MAX 64

static u64 records[INSPECT_BYTES / 8];
static struct thread *scanner;
static bool stopping;
static u64 scans, objects, refusals;

static void count_objects(s64 bytes)
{
    const u8 *at = (const u8 *)records, *end = at + bytes;
    while (at < end) {
        at += ((const struct sys_object *)at)->record_bytes;
        objects++;
    }
}

// This process cannot wait for its own answer.
static void scan_own(void)
{
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = co_manager_scan(&cursor, records, sizeof(records))) > 0)
        count_objects(bytes);
}

// A process that ends meanwhile has no objects any more.
static void scan_process(u32 pid)
{
    struct sys_inspect_request request = {
        .pid = pid, .operation = INSPECT_SCAN, .arguments = {0, INSPECT_BYTES}};
    s64 bytes;
    while ((bytes = sys_process_inspect(&request, records, sizeof(records))) > 0) {
        count_objects(bytes);
        request.arguments[0] = request.results[0];
    }
    refusals += bytes < 0;
}

static void scan_kernel(void)
{
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = sys_object_scan(&cursor, records, sizeof(records))) > 0)
        count_objects(bytes);
}

static u32 list_processes(u32 pids[])
{
    u64 cursor = 0;
    u32 count = 0;
    s64 bytes;
    while ((bytes = sys_process_list(&cursor, records, sizeof(records))) > 0) {
        const struct sys_process_info *info = (const struct sys_process_info *)records;
        for (u64 i = 0; i < (u64)bytes / sizeof(*info) && count < PIDS_MAX; i++)
            pids[count++] = info[i].pid;
    }
    return count;
}

static s64 scan_often(void *argument)
{
    u32 pids[PIDS_MAX], own = (u32)sys_process_pid(0);
    (void)argument;
    while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
        scan_kernel();
        u32 count = list_processes(pids);
        for (u32 i = 0; i < count; i++) {
            if (pids[i] != own)
                scan_process(pids[i]);
        }
        scan_own();
        scans++;
        thread_sleep_us(PERIOD_US);
    }
    return 0;
}

static void begin(void)
{
    s64 error = thread_create(&scanner, NULL, scan_often, NULL);
    if (error != 0)
        fail("scanning: %s", orrery_strerror(error));
}

static void end(void)
{
    __atomic_store_n(&stopping, true, __ATOMIC_RELEASE);
    thread_join(scanner, NULL);
    printf("COUNT scans %lu\nCOUNT objects %lu\nCOUNT refusals %lu\n", scans, objects, refusals);
}

static u64 events(void)
{
    return __atomic_load_n(&scans, __ATOMIC_RELAXED);
}

const struct measuring measuring_scans = {"scans", begin, end, events, true};
