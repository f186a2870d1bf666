// SPDX-License-Identifier: MIT
// Workload crash: deliberate kernel faults, to see what a panic, or a reset, tells.
// It does not end.
#include <kernel/console.h>
#include <kernel/lockup.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/wait.h>
#include <workloads/workload.h>

#define NOT_INLINED __attribute__((noipa))
#define HOLE 0xC0000F0000000000 // nothing is mapped there

enum { KIND, CPUS };
enum kind {
    WILD,
    STACK,
    ASSERT,
    LOCK_ORDER,
    DEADLOCK,
    MUTEX_ORDER,
    MUTEX_TURN,
    MUTEX_KEPT,
    TEXT,
    EXEC,
    NULL_READ,
    NULL_WRITE,
    NULL_CALL,
    FREED,
    DOUBLE_FREE,
    FREED_LATER,
    HANG,
    LOCKUP
};

static const struct workload_param params[] = {
    [KIND] = {"kind", PARAM_CHOICE, "wild", 0, 0, 0,
              "wild|stack|assert|lock-order|deadlock|mutex-order|mutex-turn|mutex-kept|text|exec|"
              "null-read|null-write|null-call|freed|double-free|freed-later|hang|lockup"},
    [CPUS] = {"cpus", PARAM_CPUS, "0", 0, 0, 0, NULL},
};

static struct spinlock inner = SPINLOCK_INIT("crash inner", RANK_PAGES);
static struct spinlock outer = SPINLOCK_INIT("crash outer", RANK_SERVICE);
static struct mutex first = MUTEX_INIT("crash first", MUTEX_SERVICE);
static struct mutex second = MUTEX_INIT("crash second", MUTEX_DEVICE);

static NOT_INLINED void crash_by_store(volatile u64 *to)
{
    *to = 1;
}

static NOT_INLINED u64 crash_by_load(const volatile u64 *from)
{
    return *from;
}

static NOT_INLINED void crash_by_call(void (*function)(void))
{
    function();
    __asm__ volatile(""); // a call, not a jump
}

// A pointer that the compiler does not know.
static NOT_INLINED u64 *null(void)
{
    u64 address = 0;
    __asm__ volatile("" : "+r"(address));
    return (u64 *)address;
}

static NOT_INLINED u64 crash_by_recursion(u64 depth)
{
    volatile u64 here[64];
    here[0] = depth;
    return depth == 0 ? 0 : crash_by_recursion(depth - 1) + here[0];
}

static NOT_INLINED void crash_by_assertion(u64 value)
{
    KASSERT(value == 0);
}

static NOT_INLINED void crash_by_lock_order(void)
{
    spin_lock(&inner);
    spin_lock(&outer);
}

static NOT_INLINED void crash_by_deadlock(void)
{
    spin_lock(&outer);
    spin_lock(&outer);
}

static NOT_INLINED void crash_by_mutex_order(void)
{
    mutex_lock(&second);
    mutex_lock(&first);
}

static NOT_INLINED void crash_by_mutex_out_of_turn(void)
{
    mutex_lock(&first);
    mutex_lock(&second);
    mutex_unlock(&first);
}

static NOT_INLINED void crash_by_jump(void *data)
{
    struct {
        void *entry;
        u64 toc, environment;
    } descriptor = {data, 0, 0};
    void (*function)(void) = (void (*)(void))(void *)&descriptor;
    __asm__ volatile("" ::"r"(&descriptor) : "memory"); // read by the call
    function();
}

static NOT_INLINED void crash_by_waiting(volatile const u64 *forever)
{
    spin_lock(&inner);
    kprintf("crash: waits for ever\n");
    while (*forever != 0)
        __asm__ volatile("or 31,31,31");
}

// Follows a pointer of an object that is no more; with `poison` on the boot line.
static NOT_INLINED void crash_by_freed(void)
{
    u64 **object = kzalloc(64);

    kfree(object);
    __asm__ volatile("" : "+r"(object)::"memory");
    crash_by_store(object[2] + 4);
}

static NOT_INLINED void crash_by_double_free(void)
{
    void *object = kmalloc(64);

    kfree(object);
    __asm__ volatile("" : "+r"(object));
    kfree(object);
}

// Another object is freed between, so that nothing shows until a CPU gives free objects back.
static NOT_INLINED void crash_by_freeing_later(void)
{
    static void *objects[300];
    void *twice = kmalloc(64);

    for (u32 i = 0; i < ARRAY_SIZE(objects); i++)
        objects[i] = kmalloc(64);
    kfree(twice);
    kfree(objects[0]);
    __asm__ volatile("" : "+r"(twice));
    kfree(twice);
    for (u32 i = 1; i < ARRAY_SIZE(objects); i++)
        kfree(objects[i]);
}

// Holds a lock, for which other CPUs wait, until somebody notices. Then all goes on.
static NOT_INLINED void crash_by_holding(u64 cpus, u32 cpu)
{
    static volatile bool held;

    if (cpus >> cpu != 1) { // not the last one
        while (!held)
            thread_yield();
        spin_lock(&outer);
        spin_unlock(&outer);
        return;
    }
    u32 before = lockup_reports();
    spin_lock(&outer);
    held = true;
    for (u32 other = 0; other < cpu; other++) {
        while ((cpus >> other & 1) != 0 &&
               *(struct spinlock *volatile *)&percpu_of(other)->awaited_lock != &outer)
            lockup_host_waits(); // for the host to run that CPU
    }
    while (lockup_reports() == before)
        __asm__ volatile("or 31,31,31");
    spin_unlock(&outer);
    kprintf("crash: goes on\n");
}

static void crash_work(struct workload_run *run, u32 cpu)
{
    static u64 data = 0x4e800020; // what a function that only returns looks like
    switch ((enum kind)run->values[KIND].numbers[0]) {
    case WILD:
        crash_by_store((u64 *)HOLE);
        break;
    case STACK:
        data = crash_by_recursion(UINT64_MAX);
        break;
    case ASSERT:
        crash_by_assertion(data);
        break;
    case LOCK_ORDER:
        crash_by_lock_order();
        break;
    case DEADLOCK:
        crash_by_deadlock();
        break;
    case MUTEX_ORDER:
        crash_by_mutex_order();
        break;
    case MUTEX_TURN:
        crash_by_mutex_out_of_turn();
        break;
    case MUTEX_KEPT:
        mutex_lock(&first);
        return; // the thread ends
    case TEXT:
        crash_by_store(*(u64 **)(void *)crash_by_store);
        break;
    case EXEC:
        crash_by_jump(&data);
        break;
    case NULL_READ:
        data = crash_by_load(null() + 2);
        break;
    case NULL_WRITE:
        crash_by_store(null() + 1);
        break;
    case NULL_CALL:
        crash_by_call((void (*)(void))null());
        break;
    case FREED:
        crash_by_freed();
        break;
    case DOUBLE_FREE:
        crash_by_double_free();
        break;
    case FREED_LATER:
        crash_by_freeing_later();
        break;
    case LOCKUP:
        crash_by_holding(run->cpus, cpu);
        return;
    case HANG:
        crash_by_waiting(&data);
        break;
    }
    panic("the fault that was asked for did not happen");
}

static const struct workload workload_crash = {
    .name = "crash",
    .help = "kind=wild (stack, assert, lock-order, deadlock, mutex-order, mutex-turn, mutex-kept, "
            "text, exec, null-read, null-write, null-call, freed, double-free, freed-later): "
            "panics; hang: a CPU waits, masked; lockup: until that is reported",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = CPUS,
    .prepare = workload_no_prepare,
    .work = crash_work,
    .finish = workload_nothing,
    .release = workload_nothing,
};
WORKLOAD(workload_crash);
