// SPDX-License-Identifier: MIT
// The firmware console (spapr-vty): output by hypercall, 16 bytes a call.
#include <kernel/console.h>
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/lockup.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>
#include <stdio.h>
#include <string.h>

#include "console_device.h"

#define CONSOLE_LINE 512
#define H_BUSY 1
#define REPORT_MICROSECONDS 100000

static struct spinlock console_lock = SPINLOCK_INIT("console", RANK_CONSOLE);
struct console_device console_device;
static struct console_device spare[ORRERY_MAX_CPUS];
static u32 device_count;               // all of them
static bool unlocked[ORRERY_MAX_CPUS]; // a report of a lockup takes no lock
static bool console_exclusive;         // a panic writes alone and takes no lock

// Firmware lists the system's console first.
void console_init(void)
{
    for (of_node node = of_child(of_find("/vdevice")); node != 0; node = of_peer(node)) {
        struct console_device *next =
            device_count == 0 ? &console_device : &spare[device_count - 1];
        char type[32] = "";
        of_property(node, "compatible", type, sizeof(type) - 1);
        if (strcmp(type, "hvterm1") != 0 || of_property_u32(node, "reg", &next->unit) != 0)
            continue;
        if (of_property_u32(node, "interrupts", &next->irq) != 0)
            next->irq = 0;
        if (++device_count == 1 + ARRAY_SIZE(spare))
            return;
    }
}

bool console_spare(u32 n, u32 *unit, u32 *irq)
{
    if (n + 1 >= device_count || spare[n].irq == 0)
        return false;
    *unit = spare[n].unit;
    *irq = spare[n].irq;
    return true;
}

// Whoever hangs may have the console's lock, or one that comes after it. Others release it soon.
void console_report_begin(void)
{
    const struct spinlock *held = percpu()->innermost_lock;
    u64 deadline = timebase() + microseconds_to_ticks(REPORT_MICROSECONDS);

    while (*(volatile u32 *)&console_lock.word != 0 && timebase() < deadline)
        __asm__ volatile("or 31,31,31");
    unlocked[cpu_id()] =
        console_lock.word != 0 || (held != NULL && held->rank >= console_lock.rank);
}

void console_report_end(void)
{
    unlocked[cpu_id()] = false;
}

void console_take_over(void)
{
    console_exclusive = true;
}

// Puts bytes; blocks while the other side does not take them.
static void put(const char *bytes, u64 count)
{
    while (count > 0) {
        u64 chunk = count < 16 ? count : 16;
        u64 words[2] = {0, 0};
        memcpy(words, bytes, chunk);
        if (HCALL(H_PUT_TERM_CHAR, console_device.unit, chunk, words[0], words[1]) == H_BUSY) {
            lockup_host_waits();
            continue;
        }
        bytes += chunk;
        count -= chunk;
    }
}

void console_write(const char *bytes, u64 count)
{
    if (console_exclusive || unlocked[cpu_id()]) {
        put(bytes, count);
        return;
    }
    spin_lock(&console_lock);
    console_ring_put(bytes, count);
    put(bytes, count);
    spin_unlock(&console_lock);
    console_watch_printed();
}

void kvprintf(const char *format, va_list arguments)
{
    static const char cut[] = " [cut]\n";
    char line[CONSOLE_LINE];

    int length = vsnprintf(line, sizeof(line), format, arguments);
    if (length < 0)
        return;
    if ((u64)length >= sizeof(line)) {
        memcpy(line + sizeof(line) - sizeof(cut), cut, sizeof(cut));
        length = sizeof(line) - 1;
    }
    console_write(line, (u64)length);
}

void kprintf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    kvprintf(format, arguments);
    va_end(arguments);
}
