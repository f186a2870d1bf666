// SPDX-License-Identifier: MIT
// System calls about the system itself: information, time, boot options, console.
#include <kernel/date.h>
#include <kernel/console.h>
#include <kernel/lockup.h>
#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/startup.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <orrery/version.h>
#include <string.h>

#define CONSOLE_WRITE_MAX 512
#define NOTE_HEADER_BYTES 16 // sizes, type and the name "GNU"

extern const u8 build_id_note[];

static u64 memory_bytes, boot_timebase;

void system_init(u64 memory, u64 entry_timebase)
{
    memory_bytes = memory;
    boot_timebase = entry_timebase;
}

s64 sys_info(struct sys_info *info)
{
    struct pages_stat pages;

    pages_stat(&pages);
    *info = (struct sys_info){
        .cpu_count = cpu_count,
        .lockups = lockup_reports(),
        .timebase_hz = timebase_hz,
        .boot_timebase = boot_timebase,
        .memory_bytes = memory_bytes,
        .free_bytes = pages.free * PAGE_SIZE,
        .date = date_of_boot(),
        .version = ORRERY_VERSION,
    };
    memcpy(info->build_id, build_id_note + NOTE_HEADER_BYTES, SYS_BUILD_ID_SIZE);
    return 0;
}

u64 sys_time(void)
{
    return timebase();
}

void sys_power_off(int status)
{
    power_off(status);
}

// Is it one of the tokens that let clients in?
static bool is_secret(const char *name)
{
    return strcmp(name, "observer") == 0 || strcmp(name, "controller") == 0;
}

s64 sys_option(const char *name, char *buffer, u64 bytes)
{
    const char *value = boot_option_value(name);

    if (value == NULL)
        return E_NOENT;
    const struct process *process = process_current();
    if (is_secret(name) && process != NULL && (process_rights(process) & RIGHT_MONITOR) == 0)
        return E_PERM;
    if (strlen(value) >= bytes)
        return E_INVAL;
    strcpy(buffer, value);
    return 0;
}

s64 sys_console_write(const char *bytes, u64 count)
{
    if (count > CONSOLE_WRITE_MAX)
        return E_INVAL;
    console_write(bytes, count);
    return (s64)count;
}
