// SPDX-License-Identifier: MIT
// Instructions of DREF with the counting hook out and in, of calls and misses, and of the scan.
#include <co/counter.h>
#include <kernel/memory.h>
#include <kernel/timer.h>
#include <orrery/sys.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "budget.h"

#define DREFS 8
#define TURNS 2000
#define OBJECTS 512
#define SCAN_BYTES 65536

static void drefs(u64 times, void *argument)
{
    coid_t coid = *(coid_t *)argument;
    for (u64 i = 0; i < times; i++) {
        BUDGET_TURN(i);
        co_dref(coid), co_dref(coid), co_dref(coid), co_dref(coid);
        co_dref(coid), co_dref(coid), co_dref(coid), co_dref(coid);
    }
}

static void calls(u64 times, void *argument)
{
    coid_t coid = *(coid_t *)argument;
    for (u64 i = 0; i < times; i++)
        CO_CALL(struct work_object, coid, touch);
}

static u64 a_dref(coid_t *coid)
{
    return (budget_measure(drefs, budget_empty_loop, TURNS, coid) + DREFS / 2) / DREFS;
}

static void dref(coid_t *coid)
{
    CO_CALL(struct work_object, *coid, touch);          // the first call misses
    budget_print("dref_hook_off", a_dref(coid), 1 + 1); // the load and the nop
    budget_print("object_call", budget_measure(calls, budget_empty_loop, TURNS, coid), NO_BUDGET);
    sys_dref_enable(true);
    budget_print("dref_hook_on", a_dref(coid), 1 + 8);
    sys_dref_enable(false);
}

static void budget_call_each(u64 times, void *argument)
{
    const coid_t *coids = argument;
    for (u64 i = 0; i < times; i++)
        CO_CALL(struct work_object, coids[i], touch);
}

// Every object misses once on a CPU, so this loop is measured once, and what the calls cost without
// missing is taken off.
static void miss(coid_t *coids)
{
    if (work_objects_create(coids, OBJECTS) != 0)
        return;
    u64 begin = timebase();
    budget_call_each(OBJECTS, coids);
    u64 first = work_ticks_to_ns((timebase() - begin) * 100) / OBJECTS;
    u64 again = budget_measure(budget_call_each, budget_empty_loop, OBJECTS, coids);
    budget_print("object_miss", first <= again ? 0 : first - again, NO_BUDGET);
    work_objects_destroy(coids, OBJECTS);
}

static void scan_all(u64 times, void *buffer)
{
    for (u64 i = 0; i < times; i++) {
        u64 cursor = 0;
        while (sys_object_scan(&cursor, buffer, SCAN_BYTES) > 0)
            ;
    }
}

// What `OBJECTS` more objects add to a scan, each.
static u64 a_scanned_object(void *buffer, u64 without)
{
    u64 with = budget_measure_open(scan_all, budget_empty_loop, 1, buffer);
    return with <= without ? 0 : (with - without) / OBJECTS;
}

static void budget_scan(coid_t *coids)
{
    void *buffer = kmalloc(SCAN_BYTES);
    if (buffer == NULL)
        return;
    u64 without = budget_measure_open(scan_all, budget_empty_loop, 1, buffer);
    for (u32 i = 0; i < OBJECTS; i++)
        coids[i] = (coid_t)shared_counter_create();
    budget_print("scan", a_scanned_object(buffer, without), 40);
    work_objects_destroy(coids, OBJECTS);
    kfree(buffer);
}

void budget_objects(void)
{
    coid_t *coids = kmalloc(OBJECTS * sizeof(*coids));
    if (coids == NULL || work_objects_create(coids, 1) != 0) {
        kfree(coids);
        return;
    }
    coid_t one = coids[0];
    dref(&one);
    work_objects_destroy(&one, 1);
    miss(coids);
    budget_scan(coids);
    kfree(coids);
}
