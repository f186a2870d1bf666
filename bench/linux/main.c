// SPDX-License-Identifier: MIT
// The first program of a Linux machine that does what Orrery's bench-* programs do: prints lines
// "BENCH name value ns", and turns the machine off.
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/time.h>
#include <linux/futex.h>
#include <linux/signal.h>

#include "bench.h"

#define STACK_BYTES (16 * PAGE)

static u64 length(const char *text)
{
    u64 bytes = 0;
    while (text[bytes] != '\0')
        bytes++;
    return bytes;
}

static void put(const char *text)
{
    SYS(write, 1, text, length(text));
}

static void put_number(u64 value)
{
    char digits[24];
    char *at = digits + sizeof(digits) - 1;

    *at = '\0';
    do
        *--at = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    put(at);
}

void fail(const char *what, s64 result)
{
    put("FAILED ");
    put(what);
    put(" ");
    put_number((u64)(result < 0 ? -result : result));
    put("\n");
    SYS(reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF);
    for (;;)
        SYS(exit, 1);
}

u64 now(void)
{
    struct timespec time;

    SYS(clock_gettime, CLOCK_MONOTONIC_RAW, &time);
    return (u64)time.tv_sec * 1000000000UL + (u64)time.tv_nsec;
}

void tell(const char *name, u64 ns, u64 operations)
{
    u64 tenths = (ns * 10 + operations / 2) / operations;

    put("BENCH ");
    put(name);
    put(" ");
    put_number(tenths / 10);
    put(".");
    put_number(tenths % 10);
    put(" ns\n");
}

void *pages(u64 bytes, int shared)
{
    u64 flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);

    return (void *)need("mmap", SYS(mmap, 0, bytes, PROT_READ | PROT_WRITE, flags, -1, 0));
}

u64 process(void (*function)(void *), void *argument)
{
    static void *stack;

    if (stack == NULL)
        stack = pages(STACK_BYTES, 0);
    return (u64)need("clone",
                     clone_call(SIGCHLD, (u8 *)stack + STACK_BYTES, NULL, function, argument));
}

void process_wait(u64 id)
{
    need("wait4", SYS(wait4, id, 0, 0, 0));
}

void task_begin(struct task *task, void (*function)(void *), void *argument)
{
    u64 flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                CLONE_CHILD_CLEARTID;

    if (task->stack == NULL)
        task->stack = pages(STACK_BYTES, 0);
    task->id = 1;
    need("clone",
         clone_call(flags, (u8 *)task->stack + STACK_BYTES, &task->id, function, argument));
}

void task_join(struct task *task)
{
    u32 id;

    while ((id = __atomic_load_n(&task->id, __ATOMIC_ACQUIRE)) != 0)
        SYS(futex, &task->id, FUTEX_WAIT, id, 0);
}

_Noreturn void begin(u64 argc, char **argv);

void begin(u64 argc, char **argv)
{
    (void)argv;
    if (argc > 1) // of bench_processes: the program that does nothing
        for (;;)
            SYS(exit, 0);
    SYS(mkdir, "/tmp", 0755);
    need("mount", SYS(mount, "tmpfs", "/tmp", "tmpfs", 0, 0));
    put("\n"); // the kernel may have left a line open
    bench_calls();
    bench_threads();
    bench_memory();
    bench_files();
    bench_pipes();
    bench_sockets();
    bench_processes();
    put("BENCH-END\n");
    SYS(reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF);
    for (;;)
        SYS(exit, 0);
}
