// SPDX-License-Identifier: MIT
// The trace's mode and masks: the kernel's, then those of processes, which are asked in a round.
#include "tracing_settings.h"

#include "round.h"
#include "scope.h"
#include "service.h"
#include "tracing.h"
#include "tracing_left_out.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>

s64 trace_check(struct client *client)
{
    if (sys_trace_process_mask() == E_NOTSUP)
        return client_error(client, E_NOTSUP, "this kernel was built without a trace");
    return 0;
}

u64 trace_process_mask(void)
{
    s64 mask = sys_trace_process_mask();
    return mask < 0 ? 0 : (u64)mask;
}

s64 trace_mode_check(struct client *client, dci_TraceMode mode)
{
    if (mode != dci_TraceMode_TRACE_MODE_KEEP && mode != dci_TraceMode_TRACE_MODE_OVERWRITE &&
        mode != dci_TraceMode_TRACE_MODE_DISCARD)
        return client_error(client, E_INVAL, "mode %u is not known", (unsigned)mode);
    return 0;
}

enum sys_trace_mode trace_kernel_mode(dci_TraceMode mode)
{
    return mode == dci_TraceMode_TRACE_MODE_OVERWRITE ? SYS_TRACE_OVERWRITE : SYS_TRACE_DISCARD;
}

// Returns whether the kernel gets its mask after processes have theirs: then it tells what CPUs did
// as long as they log.
static bool kernel_is_last(const struct trace_setting *setting)
{
    return setting->set_mask && setting->mask == 0;
}

// Sets the kernel's mode and, unless it comes last, its mask; with all also the mask that processes
// start with. A mode zeroes the counts. The mask is 0 meanwhile, so that the counts are then of the
// new mask alone.
static s64 set_kernel(const struct walk *walk, const struct trace_setting *setting)
{
    bool set_mode = setting->mode != dci_TraceMode_TRACE_MODE_KEEP;
    s64 error = setting->set_mask && set_mode ? sys_trace_set_mask(0) : 0;

    if (error < 0)
        return error;
    if (set_mode)
        error = sys_trace_set_mode(trace_kernel_mode(setting->mode));
    if (error == 0 && setting->set_mask && !kernel_is_last(setting))
        error = sys_trace_set_mask(setting->mask);
    if (error == 0 && setting->set_mask && walk->scope == dci_Scope_SCOPE_ALL)
        error = sys_trace_set_process_mask(setting->process_mask);
    return error;
}

static u32 ask_mask(const struct round *round, const struct visit *visit, u64 arguments[4],
                    u32 *room)
{
    *room = 0;
    arguments[0] = trace_left_out_has(visit->pid) ? 0 : round->values[0];
    arguments[1] = round->values[1];
    return INSPECT_TRACE_MASK;
}

const struct round_kind trace_mask_kind = {.ask = ask_mask};

static struct round *begin_round(const struct walk *walk, const struct trace_setting *setting)
{
    struct round *round = round_begin(&trace_mask_kind, walk->scope, walk->pid);

    if (round != NULL) {
        round->values[0] = setting->set_mask ? setting->process_mask : trace_process_mask();
        round->values[1] = (u64)setting->mode;
    }
    return round;
}

// In a walk over all, processes that end or fail are passed over. Their events are told as missing
// in the end.
s64 trace_settings_walk(struct client *client, struct walk *walk,
                        const struct trace_setting *setting)
{
    struct visit *visit;

    if (walk->round == NULL) {
        s64 error = walk_has_kernel(walk) ? set_kernel(walk, setting) : 0;
        if (error < 0)
            return error;
        walk->round = begin_round(walk, setting);
        if (walk->round == NULL)
            return E_NOMEM;
    }
    while ((visit = round_next(walk->round)) != NULL) {
        const struct failure failure = visit->failure;
        round_used(walk->round, visit);
        if (failure.error != 0 && walk->scope == dci_Scope_SCOPE_PROCESS)
            return client_error(client, failure.error, "process %u %s", (unsigned)walk->pid,
                                failure.text);
    }
    if (!round_over(walk->round))
        return REQUEST_WAITS;
    bool last = walk_has_kernel(walk) && kernel_is_last(setting);
    walk_end(walk);
    s64 error = last ? sys_trace_set_mask(0) : 0;
    return error < 0 ? error : REQUEST_DONE;
}

static struct trace_setting settings[SLOTS_MAX]; // of requests under way

void trace_settings_begin(struct client *client, dci_TraceMode mode, bool set_mask, u64 mask)
{
    settings[client_slot(client)] = (struct trace_setting){
        .mode = mode, .set_mask = set_mask, .mask = mask, .process_mask = mask};
}

s64 trace_settings_step(struct client *client)
{
    return trace_settings_walk(client, &client->walk, &settings[client_slot(client)]);
}

static s64 trace_set_begin(struct client *client, const dci_Request *request)
{
    const dci_TraceSetRequest *body = &request->body.trace_set;

    s64 error = trace_check(client);
    if (error == 0)
        error = trace_mode_check(client, body->mode);
    if (error == 0)
        error = scope_begin(client, body->scope, body->pid);
    if (error != 0)
        return error;
    // A mode would throw away the packets that another client takes.
    if (body->mode != dci_TraceMode_TRACE_MODE_KEEP && tracing.shared.owner.client != client)
        error = tracing_claim(client, false);
    if (error != 0)
        return error;
    trace_settings_begin(client, body->mode, body->set_mask, body->mask);
    return REQUEST_GOES_ON;
}

static s64 trace_set_step(struct client *client)
{
    if (!tracing_is_free(client))
        return REQUEST_WAITS;
    s64 result = trace_settings_step(client);
    if (result != REQUEST_WAITS)
        tracing_unclaim(client);
    return result;
}

static const struct request_kind kinds[] = {
    REQUEST(trace_set, dci_Role_ROLE_CONTROLLER, trace_set_begin, trace_set_step),
};

const struct service trace_settings_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};
