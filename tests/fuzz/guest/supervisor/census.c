// SPDX-License-Identifier: MIT
// Whether all is as before: processes, kernel objects, memory.
//
// Servers may grow, by threads for instance. So of the kernel's objects those count that cannot be
// reached from a process which was there before: there must not be more of any class than there
// were.
#include "supervisor.h"

#include <ipc/fs.h>
#include <ipc/names.h>
#include <orrery/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#define CLASSES 96
#define OBJECTS 16384
#define CHILDREN 65536
#define PROCESSES 32
#define LIST 64
#define LOOK_US 20000
#define SCAN_BYTES 65536

struct object {
    coid_t coid;
    u32 class_id;
    u32 first_child, children;
    bool reached;
};

static struct object objects[OBJECTS];
static coid_t children[CHILDREN];
static u32 object_count, child_count;

struct census {
    u32 unreached[CLASSES];
    u64 free_bytes, service_pages;
    u32 names;
};

static struct census before;
static struct sys_process_info services[PROCESSES];
static u32 service_count;

// ---- processes ---------------------------------------------------------------------------------

u32 census_services(u32 *pids, u32 most)
{
    u32 count = 0;

    for (u32 i = 0; i < service_count && count < most; i++)
        pids[count++] = services[i].pid;
    return count;
}

static bool is_service(const struct sys_process_info *info)
{
    for (u32 i = 0; i < service_count; i++) {
        if (services[i].pid == info->pid || strcmp(services[i].name, info->name) == 0)
            return true;
    }
    return false;
}

typedef void (*process_function)(const struct sys_process_info *info, void *argument);

static void each_process(process_function function, void *argument)
{
    static struct sys_process_info list[LIST];
    u64 cursor = 0;
    s64 bytes;

    while ((bytes = sys_process_list(&cursor, list, sizeof(list))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(list[0]); i++)
            function(&list[i], argument);
    }
}

static void note_service(const struct sys_process_info *info, void *argument)
{
    (void)argument;
    if (service_count < PROCESSES && !is_ours(info->pid))
        services[service_count++] = *info;
}

struct orphans {
    bool all;
    u32 found;
};

static void end_orphan(const struct sys_process_info *info, void *argument)
{
    struct orphans *orphans = argument;

    if (is_service(info) || is_ours(info->pid) || (!orphans->all && info->parent != 1))
        return;
    orphans->found++;
    if (sys_process_kill(info->pid, 1) == 0)
        summary->orphans++;
}

// Processes that nobody of ours waits for. Those whose creators have ended belong to the first
// process.
static u32 end_orphans(bool all)
{
    struct orphans orphans = {.all = all};

    each_process(end_orphan, &orphans);
    return orphans.found;
}

void census_kill_orphans(void)
{
    end_orphans(false);
}

static void count_service(const struct sys_process_info *info, void *argument)
{
    for (u32 i = 0; i < service_count; i++)
        *(u32 *)argument += services[i].pid == info->pid;
}

static void add_pages(const struct sys_process_info *info, void *argument)
{
    *(u64 *)argument += info->memory_pages;
}

// Names of processes that have ended: init keeps a capability for each until somebody else takes
// the name. How many stay, but for those of the manifest's services.
static u32 forget_names(void)
{
    char name[NAMES_NAME_MAX + 1];
    u32 pid, starts, index = 0, left = 0;

    while (names_list(CAP_NAMES, index, name, sizeof(name), &pid, &starts) == 0) {
        if (names_register(CAP_NAMES, name, silent_endpoint) != 0 ||
            names_unregister(CAP_NAMES, name) != 0) {
            index++;
            left += starts == 0;
        }
    }
    return left;
}

// What is held for others, by us or by init, goes.
static u32 clear_away(void)
{
    hub_clear();
    if (service("fs") != 0)
        files_remove();
    return end_orphans(true);
}

// ---- objects -----------------------------------------------------------------------------------

static void note_object(const struct sys_object *record)
{
    if (object_count == OBJECTS || record->child_count > CHILDREN - child_count)
        return;
    objects[object_count++] = (struct object){.coid = record->coid,
                                              .class_id = record->class_id,
                                              .first_child = child_count,
                                              .children = record->child_count};
    memcpy(&children[child_count], record->children, record->child_count * sizeof(coid_t));
    child_count += record->child_count;
}

static int by_coid(const void *a, const void *b)
{
    const struct object *one = a, *other = b;
    return one->coid < other->coid ? -1 : one->coid > other->coid;
}

static void scan(void)
{
    static u64 buffer[SCAN_BYTES / 8];
    u64 cursor = 0;
    s64 bytes;

    object_count = child_count = 0;
    while ((bytes = sys_object_scan(&cursor, buffer, sizeof(buffer))) > 0) {
        for (u64 at = 0; at < (u64)bytes;) {
            const struct sys_object *record = (struct sys_object *)((u8 *)buffer + at);
            note_object(record);
            at += record->record_bytes;
        }
    }
    qsort(objects, object_count, sizeof(objects[0]), by_coid);
}

static struct object *find(coid_t coid)
{
    const struct object key = {.coid = coid};
    return bsearch(&key, objects, object_count, sizeof(objects[0]), by_coid);
}

static void reach(coid_t from)
{
    static coid_t todo[OBJECTS];
    u32 count = 0;

    todo[count++] = from;
    while (count > 0) {
        struct object *object = find(todo[--count]);
        if (object == NULL || object->reached)
            continue;
        object->reached = true;
        for (u32 i = 0; i < object->children && count < OBJECTS; i++)
            todo[count++] = children[object->first_child + i];
    }
}

static void reach_process(const struct sys_process_info *info, void *argument)
{
    (void)argument;
    if (is_service(info) || is_ours(info->pid))
        reach(info->object);
}

static void take(struct census *census)
{
    struct sys_info info;

    memset(census, 0, sizeof(*census));
    census->names = forget_names();
    scan();
    each_process(reach_process, NULL);
    for (u32 i = 0; i < object_count; i++) {
        if (!objects[i].reached && objects[i].class_id < CLASSES)
            census->unreached[objects[i].class_id]++;
    }
    each_process(add_pages, &census->service_pages);
    sys_info(&info);
    census->free_bytes = info.free_bytes;
}

// The object of the network device is made by whoever opens it first, for good.
static bool is_left(const struct census *now, const struct sys_class *class_info)
{
    u32 id = class_info->class_id;

    return id < CLASSES && now->unreached[id] > before.unreached[id] &&
           strcmp(class_info->name, "NetInterface") != 0;
}

static bool more(const struct census *now)
{
    struct sys_class class_info;

    if (now->names != 0)
        return true;
    for (u32 i = 0; sys_class_get(i, &class_info) == 0; i++) {
        if (is_left(now, &class_info))
            return true;
    }
    return false;
}

static void tell_objects_of(const struct sys_process_info *info, void *name)
{
    static struct sys_class classes[LIST];
    struct sys_inspect_request request = {
        .pid = info->pid, .operation = INSPECT_CLASS, .arguments = {0, sizeof(classes)}};

    if (strcmp(info->name, name) != 0)
        return;
    s64 bytes = sys_process_inspect(&request, classes, sizeof(classes));
    printf("fuzz: %s:", info->name);
    for (s64 i = 0; i < bytes / (s64)sizeof(classes[0]); i++)
        printf(" %s %u", classes[i].implementation, (unsigned)classes[i].live);
    printf("\n");
}

// What is mapped has objects of the kernel as long as fs has the file.
static void tell_files(void)
{
    struct fs_usage usage;

    if (service("fs") == 0 || fs_usage(service("fs"), &usage) != 0)
        return;
    printf("fuzz: fs: %llu files, %llu directories, %llu open\n", (unsigned long long)usage.files,
           (unsigned long long)usage.directories, (unsigned long long)usage.open_files);
    each_process(tell_objects_of, "fs");
    files_tell();
}

static void tell_left(const struct census *now)
{
    struct sys_class class_info;

    if (now->names != 0)
        printf("fuzz: left: names: %u\n", (unsigned)now->names);
    for (u32 i = 0; sys_class_get(i, &class_info) == 0; i++) {
        u32 id = class_info.class_id;
        if (is_left(now, &class_info))
            printf("fuzz: left: %s (%s): %u, now %u\n", class_info.name, class_info.implementation,
                   (unsigned)before.unreached[id], (unsigned)now->unreached[id]);
    }
}

// ---- before and after --------------------------------------------------------------------------

void census_begin(void)
{
    each_process(note_service, NULL);
    files_begin();
}

void census_settle(void)
{
    clear_away();
    thread_sleep_us(LOOK_US * 5);
    take(&before);
    summary->free_before = before.free_bytes;
}

static long long kilobytes(u64 from, u64 to)
{
    return ((long long)from - (long long)to) / 1024;
}

static void tell(const struct census *now, u32 left, u32 lost)
{
    printf(
        "\nfuzz: %u processes left, %u services lost; %lld KB less free than before, of which %lld "
        "KB are the services'\n",
        (unsigned)left, (unsigned)lost, kilobytes(before.free_bytes, now->free_bytes),
        kilobytes(now->service_pages * FUZZ_PAGE, before.service_pages * FUZZ_PAGE));
    tell_left(now);
    tell_files();
}

bool census_compare(bool last)
{
    struct census now;
    u64 deadline = time_after_us(options.patience);
    u32 left, alive = 0;

    do {
        left = clear_away();
        thread_sleep_us(LOOK_US);
        take(&now);
    } while ((left != 0 || more(&now)) && time_now() < deadline);
    each_process(count_service, &alive);
    bool good = left == 0 && !more(&now) && alive == service_count;
    summary->looks++;
    summary->failed_looks += !good;
    summary->services_lost = service_count - alive;
    summary->free_after = now.free_bytes;
    summary->service_growth = (now.service_pages - before.service_pages) * FUZZ_PAGE;
    if (!good || last)
        tell(&now, left, service_count - alive);
    return good;
}
