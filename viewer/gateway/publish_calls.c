// SPDX-License-Identifier: MIT
// The topic of calls: which process calls which method of whom.
#include "gateway/machine_state.h"
#include "analyses/method_name.h"
#include "output/document.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL_ROWS_MAX 200u
#define PORTION 200000 // events of a folder

// Returns why the machine never has calls. NULL: it may have.
static const char *lack(const struct machine *machine)
{
    if (machine->player != NULL)
        return "a recording of kov serve has no calls: they are counted from a trace, which it "
               "leaves out";
    if (machine->settings.of != NULL)
        return "calls of the boot before are not kept";
    return NULL;
}

// ---- rows --------------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct call_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    for (u32 i = 0; i < KEY_WORDS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return 0;
}

static void put_name(json_t *row, const char *key, const struct snapshot *snapshot, u64 pid)
{
    char name[OBJECT_NAME_BYTES];
    snapshot_process_name(snapshot, pid > UINT32_MAX ? UINT32_MAX : (u32)pid, name);
    json_object_set_new(row, key, block_text(name));
}

static void put_method(json_t *row, u64 word)
{
    const char *name = method_name(word);
    if (name != NULL)
        put_text(row, "method", name);
    else
        put_hex(row, "method", word);
}

static void put_row(json_t *rows, const struct machine *machine, const struct call_row *call,
                    double seconds)
{
    const u64 *key = call->key;
    json_t *row = put_object(rows, NULL);
    if (key[0] != CALL_CLIENT_UNKNOWN) {
        put_u64(row, "client", key[0]);
        put_name(row, "client_name", &machine->snapshot, key[0]);
    }
    put_u64(row, "server", key[1]);
    put_name(row, "server_name", &machine->snapshot, key[1]);
    put_hex(row, "endpoint", key[2]);
    put_method(row, key[3]);
    put_u64(row, "count", call->count);
    put_number(row, "rate", seconds > 0 ? (double)call->count / seconds : NAN);
}

// pid: ALL_PROCESSES, or the one that makes or answers the calls. Returns whether a client of them
// is not known.
#define ALL_PROCESSES UINT64_MAX
static bool put_rows(json_t *data, const struct machine *machine, struct call_sum *sum, u64 pid,
                     double seconds)
{
    json_t *rows = put_array(data, "rows");
    u64 rest = 0;
    u32 told = 0;
    bool unknown = false;
    if (sum->rows.count > 1)
        qsort(sum->rows.rows, sum->rows.count, sizeof(void *), compare);
    for (size_t i = 0; i < sum->rows.count; i++) {
        const struct call_row *call = sum->rows.rows[i];
        unknown |= call->key[0] == CALL_CLIENT_UNKNOWN;
        if (pid != ALL_PROCESSES && call->key[0] != pid && call->key[1] != pid)
            continue;
        if (told++ < CALL_ROWS_MAX)
            put_row(rows, machine, call, seconds);
        else
            rest += call->count;
    }
    put_u64(data, "rest", rest);
    return unknown;
}

// ---- what is told ------------------------------------------------------------------------------

static void put_interval(json_t *data, const struct machine *machine, const struct call_sum *sum)
{
    bool any = sum->from < sum->to;
    json_object_set_new(data, "from",
                        any ? json_real(machine_time(machine, sum->from)) : json_null());
    json_object_set_new(data, "to", any ? json_real(machine_time(machine, sum->to)) : json_null());
}

static void put_counts(json_t *data, const struct call_sum *sum)
{
    put_u64(data, "others", sum->others);
    put_u64(data, "lost_packets", sum->packets);
    put_u64(data, "discarded", sum->discarded);
    put_bool(data, "cut", sum->is_cut);
    put_u64(data, "packets", sum->taken);
    put_u64(data, "bytes", sum->taken_bytes);
}

// Returns why something is not known. NULL: nothing is.
static const char *why_unknown(const struct machine *machine, bool unknown)
{
    const struct call_trace *calls = &machine->calls;
    if (calls->why[0] != 0)
        return calls->why;
    if (!unknown)
        return NULL;
    return calls->is_late ? "this trace began before the gateway joined it: it does not tell of "
                            "which process threads are that were there before"
                          : "the trace does not tell of which process some threads are";
}

static void tell(struct machine *machine, struct published *published, u64 pid, double from,
                 double to)
{
    const struct call_trace *calls = &machine->calls;
    struct call_sum sum = {0};
    json_t *data = json_object();
    if (calls->counts != NULL)
        call_counts_sum(calls->counts, machine_ticks(machine, from, 0) + machine->boot_time,
                        machine_ticks(machine, to, INT64_MAX) + machine->boot_time, &sum);
    double seconds = (double)sum.covered / (double)machine->timebase_hz;
    put_interval(data, machine, &sum);
    put_number(data, "seconds", seconds);
    bool unknown = put_rows(data, machine, &sum, pid, seconds);
    put_counts(data, &sum);
    put_text(data, "owner", calls->owner);
    const char *why = why_unknown(machine, unknown);
    if (why != NULL)
        json_object_set_new(data, "why", block_text(why));
    keyed_rows_free(&sum.rows);
    machine_publish(machine, published, block_of_json(data));
}

// ---- a trace folder ----------------------------------------------------------------------------

static int begin_folder(struct machine *machine)
{
    struct call_trace *calls = &machine->calls;
    const struct timeline *timeline = machine->timeline;
    int code = call_walk_begin_folder(&calls->walk, machine->settings.folder, &calls->counts);
    for (size_t i = 0; i < timeline->thread_count && code == KOV_OK; i++)
        if (timeline->threads[i].pid != ACTIVITY_NO_PID)
            call_walk_know(&calls->walk, timeline->threads[i].id, timeline->threads[i].pid);
    calls->running = true;
    return code;
}

static void end_folder(struct machine *machine, const char *why)
{
    struct call_trace *calls = &machine->calls;
    struct call_sum sum;
    call_counts_sum(calls->counts, 0, UINT64_MAX, &sum);
    keyed_rows_free(&sum.rows);
    call_walk_end(&calls->walk);
    calls->running = false;
    if (why == NULL && sum.covered == 0)
        why = "the trace does not have switches and calls (" CALL_MAJORS ")";
    snprintf(calls->why, sizeof(calls->why), "%s", why == NULL ? "" : why);
}

// Reads the trace once more, a portion each time, when somebody looks for the first time. Returns
// whether all is known.
static bool attend_folder(struct machine *machine)
{
    struct call_trace *calls = &machine->calls;
    int code = KOV_OK;
    if (calls->counts == NULL)
        code = begin_folder(machine);
    else if (calls->running)
        code = call_walk_read(&calls->walk, PORTION);
    if (calls->running && (code != KOV_OK || call_walk_is_whole(&calls->walk)))
        end_folder(machine, code == KOV_OK ? NULL : machine->failure);
    return !calls->running;
}

static int publish_folder(struct machine *machine, struct published *published, u64 pid)
{
    if (machine->timeline == NULL)
        publish_stop(machine, published, machine->failure);
    else if (machine->timeline->is_whole && attend_folder(machine))
        tell(machine, published, pid, publish_number(published, "from", 0),
             publish_number(published, "to", INFINITY));
    // What was does not change. It is due again when the trace is whole.
    published->due = machine->calls.running ? 0 : INFINITY;
    return KOV_OK;
}

// ---- the topic ---------------------------------------------------------------------------------

int publish_calls(struct machine *machine, struct published *published)
{
    struct ranking_thing thing;
    u32 cpu;
    double from, to;
    bool is_thing = publish_thing(publish_text(published, "of"), &thing, &cpu) && cpu == ALL_CPUS;
    bool is_process = is_thing && thing.by == RANKING_PROCESS && thing.kind == SITE_PROCESS;
    const char *why = lack(machine);
    if (why == NULL && !is_process && !(is_thing && thing.kind == SITE_ALL))
        why = "calls are of p:PID or of m";
    if (why != NULL) {
        publish_stop(machine, published, why);
        return KOV_OK;
    }
    u64 pid = is_process ? thing.pid : ALL_PROCESSES;
    if (machine->settings.folder != NULL)
        return publish_folder(machine, published, pid);
    int code = KOV_OK;
    if (machine->live)
        code = call_trace_attend(&machine->calls, machine->boot_time, machine->timebase_hz);
    publish_interval(machine, published, &from, &to);
    if (code == KOV_OK)
        tell(machine, published, pid, from, to);
    return code;
}
