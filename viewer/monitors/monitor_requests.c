// SPDX-License-Identifier: MIT
// Requests about monitors of the machine.
#include "monitors/monitor_requests.h"
#include "tools/text.h"

#include <inttypes.h>
#include <string.h>

// ---- targets -----------------------------------------------------------------------------------

static bool parse_target(const char *word, size_t length, struct monitor_target *target)
{
    char pid[24], thread[24] = "0";
    size_t slash = strcspn(word, "/,");
    bool has_thread = slash < length;
    u64 numbers[2];
    if (length >= sizeof(pid))
        return false;
    snprintf(pid, sizeof(pid), "%.*s", (int)slash, word);
    if (has_thread)
        snprintf(thread, sizeof(thread), "%.*s", (int)(length - slash - 1), word + slash + 1);
    if (!text_to_u64(pid, 0, UINT32_MAX, &numbers[0]) ||
        !text_to_u64(thread, has_thread, UINT32_MAX, &numbers[1]))
        return false;
    target->pid = (u32)numbers[0];
    target->thread = (u32)numbers[1];
    return true;
}

static bool has_target(const struct monitor_targets *targets, const struct monitor_target *target)
{
    for (u32 i = 0; i < targets->count; i++)
        if (targets->targets[i].pid == target->pid && targets->targets[i].thread == target->thread)
            return true;
    return false;
}

int monitor_targets_parse(const char *text, struct monitor_targets *targets)
{
    for (const char *word = text;; word++) {
        struct monitor_target target = {.id = 1}; // the first id above those before it
        for (u32 i = 0; i < targets->count; i++)
            if (targets->targets[i].id >= target.id)
                target.id = targets->targets[i].id + 1;
        size_t length = strcspn(word, ",");
        if (!parse_target(word, length, &target))
            return fail(KOV_USAGE, "--pid %s: must be PID or PID/THREAD, or several with commas",
                        text);
        if (targets->count == MONITOR_TARGETS_MAX)
            return fail(KOV_USAGE, "--pid: a monitor tracks at most %d processes and threads",
                        MONITOR_TARGETS_MAX);
        if (!has_target(targets, &target))
            targets->targets[targets->count++] = target;
        word += length;
        if (*word == '\0')
            return KOV_OK;
    }
}

// ---- kinds -------------------------------------------------------------------------------------

static u64 kind_of(const char *word, size_t length)
{
    static const char *const names[SYS_MONITOR_KINDS_MAX] = SYS_MONITOR_KIND_NAMES;
    if (length == strlen("all") && strncmp(word, "all", length) == 0)
        return SYS_MONITOR_KINDS_MASK;
    for (u32 kind = 0; kind < SYS_MONITOR_KINDS_MAX; kind++) {
        const char *name = names[kind] != NULL ? names[kind] : "";
        if (length > 0 && strlen(name) == length && strncmp(word, name, length) == 0)
            return 1UL << kind;
    }
    return 0;
}

int monitor_kinds_parse(const char *text, u64 *kinds)
{
    *kinds = 0;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        u64 kind = kind_of(word, length);
        if (kind == 0)
            return fail(KOV_USAGE,
                        "--events: '%.*s' is none of switch, wake, fault, syscall, block, call, "
                        "thread, sensor, or all",
                        (int)length, word);
        *kinds |= kind;
        word += length;
        if (*word == '\0')
            return KOV_OK;
    }
}

// ---- requests ----------------------------------------------------------------------------------

static int take_created(void *context, const dci_response *response)
{
    *(u32 *)context = response->monitor_create->monitor;
    return KOV_OK;
}

int monitor_create(bool kept, u64 bytes, u32 *number)
{
    Orrery__Dci__MonitorCreateRequest body = ORRERY__DCI__MONITOR_CREATE_REQUEST__INIT;
    body.kept = kept;
    body.bytes = bytes;
    return dci_call(DCI_REQUEST(MONITOR_CREATE, monitor_create, &body),
                    ORRERY__DCI__RESPONSE__BODY_MONITOR_CREATE, "cannot create a monitor",
                    take_created, number);
}

int monitor_track(u32 number, const struct monitor_target *target, u64 kinds)
{
    Orrery__Dci__MonitorTrackRequest body = ORRERY__DCI__MONITOR_TRACK_REQUEST__INIT;
    char what[80];
    body.monitor = number;
    body.pid = target->pid;
    body.thread = target->thread;
    body.id = target->id;
    body.kinds = kinds;
    snprintf(what, sizeof(what), "cannot track process %" PRIu32, target->pid);
    if (target->thread != 0)
        snprintf(what, sizeof(what), "cannot track thread %" PRIu32 " of process %" PRIu32,
                 target->thread, target->pid);
    return dci_call(DCI_REQUEST(MONITOR_TRACK, monitor_track, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, what, NULL, NULL);
}

static int take_time(void *context, const dci_response *response)
{
    *(u64 *)context = response->monitor_run->time;
    return KOV_OK;
}

int monitor_run(u32 number, bool on, u64 *time)
{
    Orrery__Dci__MonitorRunRequest body = ORRERY__DCI__MONITOR_RUN_REQUEST__INIT;
    body.monitor = number;
    body.on = on;
    return dci_call(
        DCI_REQUEST(MONITOR_RUN, monitor_run, &body), ORRERY__DCI__RESPONSE__BODY_MONITOR_RUN,
        on ? "cannot resume the monitor" : "cannot suspend the monitor", take_time, time);
}

int monitor_stop(u32 number)
{
    Orrery__Dci__MonitorStopRequest body = ORRERY__DCI__MONITOR_STOP_REQUEST__INIT;
    body.monitor = number;
    return dci_call(DCI_REQUEST(MONITOR_STOP, monitor_stop, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot stop the monitor", NULL, NULL);
}

// ---- the list ----------------------------------------------------------------------------------

static struct monitor_counts counts_of(const Orrery__Dci__MonitorStat *stat)
{
    if (stat == NULL)
        return (struct monitor_counts){0};
    return (struct monitor_counts){stat->fired, stat->lost, stat->unread, stat->cost,
                                   stat->cost_fast};
}

// Leaves out what is beyond the limits.
static struct monitor_info info_of(const Orrery__Dci__Monitor *monitor)
{
    struct monitor_info info = {.number = monitor->monitor,
                                .kept = monitor->kept,
                                .running = monitor->running,
                                .bytes = monitor->bytes};
    for (size_t i = 0; i < monitor->n_cpus && i < ORRERY_MAX_CPUS; i++)
        info.cpus[info.cpu_count++] = counts_of(monitor->cpus[i]);
    for (size_t i = 0; i < monitor->n_tracks && i < MONITOR_TARGETS_MAX; i++)
        info.targets.targets[info.targets.count++] = (struct monitor_target){
            monitor->tracks[i]->pid, monitor->tracks[i]->thread, monitor->tracks[i]->id};
    return info;
}

struct list {
    monitor_list_handler *handler;
    void *context;
};

static int take_monitors(void *context, const dci_response *response)
{
    const struct list *list = context;
    int code = KOV_OK;
    for (size_t i = 0; code == KOV_OK && i < response->monitors->n_monitors; i++) {
        struct monitor_info info = info_of(response->monitors->monitors[i]);
        code = list->handler(list->context, &info);
    }
    return code;
}

int monitor_list(monitor_list_handler *handler, void *context)
{
    Orrery__Dci__MonitorsRequest body = ORRERY__DCI__MONITORS_REQUEST__INIT;
    struct list list = {handler, context};
    return dci_call(DCI_REQUEST(MONITORS, monitors, &body), ORRERY__DCI__RESPONSE__BODY_MONITORS,
                    "cannot list monitors", take_monitors, &list);
}

struct wanted {
    struct monitor_info *info;
    u32 number;
};

static int take_wanted(void *context, const struct monitor_info *info)
{
    const struct wanted *wanted = context;
    if (info->number == wanted->number)
        *wanted->info = *info;
    return KOV_OK;
}

int monitor_find(u32 number, struct monitor_info *info)
{
    struct wanted wanted = {info, number};
    *info = (struct monitor_info){0};
    int code = monitor_list(take_wanted, &wanted);
    if (code == KOV_OK && info->number != number)
        return fail(KOV_FAILED, "there is no monitor %" PRIu32 ": see `kov monitor list`", number);
    return code;
}

// ---- reading -----------------------------------------------------------------------------------

struct reading {
    monitor_read_handler *handler;
    void *context;
};

static int take_records(void *context, const dci_response *response)
{
    const struct reading *reading = context;
    const Orrery__Dci__MonitorReadReply *reply = response->monitor_read;
    struct monitor_counts counts = counts_of(reply->stat);
    if (reply->cpu >= ORRERY_MAX_CPUS || reply->stat == NULL)
        return fail(KOV_CONNECTION, "records of CPU %" PRIu32 " came, which cannot be", reply->cpu);
    return reading->handler(reading->context, reply->cpu, reply->records, reply->n_records,
                            &counts);
}

int monitor_read(u32 number, monitor_read_handler *handler, void *context)
{
    Orrery__Dci__MonitorReadRequest body = ORRERY__DCI__MONITOR_READ_REQUEST__INIT;
    struct reading reading = {handler, context};
    body.monitor = number;
    return dci_call(DCI_REQUEST(MONITOR_READ, monitor_read, &body),
                    ORRERY__DCI__RESPONSE__BODY_MONITOR_READ, "cannot read the monitor",
                    take_records, &reading);
}
