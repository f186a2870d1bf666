// SPDX-License-Identifier: MIT
// Files about a process.
#include "contents.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>
#include <user/time.h>

// ---- the list of processes ----------------------------------------------------------------------

s64 processes_each(s64 (*visit)(const struct sys_process_info *info, void *context), void *context)
{
    struct sys_process_info info[16];
    u64 cursor = 0;
    s64 bytes, result = 0;
    while (result == 0 && (bytes = sys_process_list(&cursor, info, sizeof(info))) != 0) {
        if (bytes < 0)
            return bytes;
        for (u32 i = 0; i < (u64)bytes / sizeof(info[0]) && result == 0; i++)
            result = visit(&info[i], context);
    }
    return result;
}

// ---- status ------------------------------------------------------------------------------------

static const char *name_of(const char *const *names, u32 count, u32 index)
{
    return index < count ? names[index] : "?";
}

static s64 fill_status(u32 pid, struct text *text)
{
    static const char *const states[] = {"new", "live", "ending"};
    static const char *const priorities[] = {"?", "low", "normal", "high", "server"};
    struct sys_process_info info;
    s64 status = sys_process_info(pid, &info);
    if (status != 0)
        return status;
    text_add(text, "Name:        %.*s\n", PROCESS_NAME_MAX, info.name);
    text_add(text, "State:       %s\n", name_of(states, ARRAY_SIZE(states), info.state));
    text_add(text, "Pid:         %u\nPPid:        %u\n", info.pid, info.parent);
    text_add(text, "Rights:      %#x\n", info.rights);
    text_add(text, "Priority:    %s\n", name_of(priorities, ARRAY_SIZE(priorities), info.priority));
    text_add(text, "Dispatchers: %#x\n", info.dispatchers);
    text_add(text, "Object:      %#lx\n", (unsigned long)info.object);
    text_add(text, "Started:     %lu ms\n", (unsigned long)(time_to_us(info.start_time) / 1000));
    text_add(text, "CpuTime:     %lu us\n", (unsigned long)time_to_us(info.cpu_ticks));
    text_add(text, "VmRSS:       %lu kB\n", (unsigned long)info.memory_pages * 4);
    text_add(text, "Faults:      %lu\n", (unsigned long)info.faults);
    text_add(text, "Calls:       %lu\nEvents:      %lu\n", (unsigned long)info.calls,
             (unsigned long)info.events);
    return 0;
}

static s64 fill_name(u32 pid, struct text *text)
{
    struct sys_process_info info;
    s64 status = sys_process_info(pid, &info);
    if (status == 0)
        text_add(text, "%.*s\n", PROCESS_NAME_MAX, info.name);
    return status;
}

// ---- maps --------------------------------------------------------------------------------------

static void add_region(const struct sys_region_info *region, struct text *text)
{
    static const char *const kinds[] = {"?", "anonymous", "stack", "commit", "shared", "private"};
    text_add(text, "%012lx-%012lx %c%c%c%c %08lx %8lu kB %-9s %#8lx %#8lx %.*s\n",
             (unsigned long)region->address, (unsigned long)(region->address + region->bytes),
             (region->prot & PROT_R) != 0 ? 'r' : '-', (region->prot & PROT_W) != 0 ? 'w' : '-',
             (region->prot & PROT_X) != 0 ? 'x' : '-', region->kind == REGION_SHARED ? 's' : 'p',
             (unsigned long)region->offset, (unsigned long)region->resident_pages * 4,
             name_of(kinds, ARRAY_SIZE(kinds), region->kind), (unsigned long)region->region,
             (unsigned long)region->memory, (int)sizeof(region->name), region->name);
}

// Adds a line for each region: address range, protection, offset, resident memory, kind, object of
// the Region and of the FCM, name.
static s64 fill_maps(u32 pid, struct text *text)
{
    struct sys_region_info regions[16];
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = sys_region_list(pid, &cursor, regions, sizeof(regions))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(regions[0]); i++)
            add_region(&regions[i], text);
    }
    return bytes;
}

// ---- objects -----------------------------------------------------------------------------------

#define CLASSES_MAX 256
#define SCAN_BYTES 0x8000

struct scan {
    struct sys_class classes[CLASSES_MAX]; // by id
    union {
        u64 aligned;
        u8 records[SCAN_BYTES];
    };
};

static s64 ask(u32 pid, u32 operation, u64 first, u64 second, u64 *result, void *to, u64 bytes)
{
    struct sys_inspect_request request = {
        .pid = pid, .operation = operation, .arguments = {first, second}};
    s64 status = sys_process_inspect(&request, to, bytes);
    *result = request.results[0];
    return status;
}

static s64 read_classes(u32 pid, struct scan *scan)
{
    struct sys_class one;
    u64 unused;
    for (u32 index = 0; index < CLASSES_MAX; index++) {
        s64 status = ask(pid, INSPECT_CLASS, index, 0, &unused, &one, sizeof(one));
        if (status == E_NOENT)
            return 0;
        if (status < 0)
            return status;
        if (one.class_id < CLASSES_MAX)
            scan->classes[one.class_id] = one;
    }
    return 0;
}

static void add_object(const struct scan *scan, const struct sys_object *object, struct text *text)
{
    const struct sys_class *class =
        object->class_id < CLASSES_MAX ? &scan->classes[object->class_id] : &scan->classes[0];
    text_add(text, "%#10lx %-24.*s %-28.*s reps %u misses %lu children %u\n",
             (unsigned long)object->coid, (int)sizeof(class->name), class->name,
             (int)sizeof(class->implementation), class->implementation, object->rep_count,
             (unsigned long)object->misses, object->child_count);
}

// Adds the objects of a scan. The process wrote the records, so their lengths are checked.
static void add_objects(const struct scan *scan, u64 bytes, struct text *text)
{
    u64 at = 0;
    while (bytes - at >= sizeof(struct sys_object)) {
        const struct sys_object *object = (const void *)(scan->records + at);
        if (object->record_bytes < sizeof(*object) || object->record_bytes % 8 != 0 ||
            object->record_bytes > bytes - at)
            return;
        add_object(scan, object, text);
        at += object->record_bytes;
    }
}

static s64 scan_objects(u32 pid, struct scan *scan, struct text *text)
{
    u64 cursor = 0;
    s64 bytes = read_classes(pid, scan);
    while (bytes >= 0 && !text->failed) {
        bytes = ask(pid, INSPECT_SCAN, cursor, SCAN_BYTES, &cursor, scan->records, SCAN_BYTES);
        if (bytes <= 0)
            break;
        add_objects(scan, (u64)bytes < SCAN_BYTES ? (u64)bytes : SCAN_BYTES, text);
    }
    return bytes;
}

static s64 fill_objects(u32 pid, struct text *text)
{
    if (pid == (u32)sys_process_pid(0))
        return E_NOTSUP; // this very thread would have to answer
    struct scan *scan = calloc(1, sizeof(*scan));
    if (scan == NULL)
        return E_NOMEM;
    s64 status = scan_objects(pid, scan, text);
    free(scan);
    return status;
}

const struct proc_file process_files[] = {
    {"cmdline", "name of the program", fill_name},
    {"maps", "regions of its memory", fill_maps},
    {"objects", "its clustered objects, from a scan", fill_objects},
    {"status", "numbers", fill_status},
};
const u32 process_file_count = ARRAY_SIZE(process_files);
