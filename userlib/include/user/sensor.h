// SPDX-License-Identifier: MIT
// A program's own records in monitors (orrery/monitors.h). A sensor has a number and logs two
// words. While no monitor wants them, a sensor is a load and a branch. Otherwise it is some 20
// instructions, and a system call if the kernel has not taken the last records yet. Any context.
#ifndef USER_SENSOR_H
#define USER_SENSOR_H

#include <orrery/monitors.h>
#include <orrery/user.h>

#define SENSOR_NUMBERS 256 // numbers are below

// Returns what monitors want to be told by this process on this CPU: bits 1 << enum
// sys_monitor_kind.
static inline u32 monitors_want(void)
{
    u32 kinds;
    __asm__ volatile("lwz %0,%1(13)" : "=r"(kinds) : "i"(DISPATCHER_MONITORED));
    return kinds;
}

// Tells the monitors (userlib/src/tell.S), at once or when the kernel takes it from the
// dispatcher's page.
void monitor_tell(u64 what, u64 word0, u64 word1);
#define MONITOR_TELL(kind, reason) ((u64)(kind) << 24 | (u64)(reason) << 16)

static inline void sensor(u32 number, u64 a, u64 b)
{
    if (__builtin_expect(monitors_want() >> SYS_MONITOR_SENSOR & 1, 0) && number < SENSOR_NUMBERS)
        monitor_tell(MONITOR_TELL(SYS_MONITOR_SENSOR, number), a, b);
}

// Names a sensor, for kov, which reads this in the program's ELF file (section .sensor_names). At
// most 23 characters. At the outermost level of a source.
struct sensor_name {
    u64 number;
    char name[24];
};
#define SENSOR_NAME(number_, text)                                                                 \
    _Static_assert((number_) < SENSOR_NUMBERS && sizeof(text) <= 24, "a sensor's name");           \
    static const struct sensor_name sensor_name_##number_                                          \
        __attribute__((section(".sensor_names"), used)) = {number_, text}

#endif
