// SPDX-License-Identifier: MIT
// `kov trace live`: gives the running trace to viewers that attach.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "lttng/lttng.h"
#include "record/trace_run.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <inttypes.h>

#define FLUSH_MS 200
#define ROUND_SECONDS 0.1
#define LAG_SECONDS 1 // by so much may processes' events come later than the kernel's
#define NO_PORT UINT64_MAX

static u64 port = NO_PORT, pid = UINT64_MAX;
static const char *events_text = "all", *folder;
static bool all;
static double duration;

static const struct option live_options[] = {
    NUMBER(0, "lttng", &port, 0, UINT16_MAX, "PORT",
           "of 127.0.0.1, where viewers attach; 0: any that is free"),
    TEXT('e', "events", &events_text, "LIST", "majors or events: numbers or names, or all (all)"),
    NUMBER(0, "pid", &pid, 0, 0, "0", "only the kernel"),
    SECONDS('d', "duration", &duration, 86400, "how long (until Ctrl-C)"),
    FLAG(0, "all", &all, "also what the monitor's own processes do (dci and net)"),
    TEXT('o', "output", &folder, "FOLDER", "also write everything into this folder"),
    OPTIONS_END,
};

struct live {
    struct trace_run run;
    struct lttng_relay relay;
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct live *live = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_PACKET)
        return KOV_OK;
    const Orrery__Dci__TracePacket *packet = event->packet;
    int code =
        lttng_add(&live->relay, packet->pid, packet->cpu, packet->data.data, packet->data.len);
    return code == KOV_OK && folder != NULL ? capture_packet(&live->run.capture, packet) : code;
}

static int fetch_metadata(struct live *live)
{
    struct bytes text = {0};
    int code = trace_fetch_metadata(&text);
    if (code == KOV_OK)
        code = lttng_set_metadata(&live->relay, &text);
    bytes_free(&text);
    return code;
}

static int decide(struct live *live)
{
    struct trace_events events = {0};
    int code = trace_fetch_events(&events);
    if (code == KOV_OK)
        code = trace_parse_mask(events_text, &events, &live->run.mask);
    live->run.mask |= trace_state_mask(&events);
    trace_free_events(&events);
    live->run.set_mask = true;
    live->run.mask |= 1; // heartbeats, by which every CPU tells how far it is
    live->relay.cpus = session_machine()->cpu_count;
    live->relay.lag = pid == 0 ? 0 : LAG_SECONDS * session_machine()->timebase_hz;
    return code == KOV_OK ? fetch_metadata(live) : code;
}

static int subscribe(struct live *live)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    body.set_mask = true;
    body.mask = live->run.mask;
    body.flush_ms = FLUSH_MS;
    return trace_subscribe(&body, pid == UINT64_MAX ? SCAN_ALL : SCAN_KERNEL,
                           all ? NULL : &live->run.left_out);
}

static int relay_trace(struct live *live)
{
    live->run.begin = clock_now();
    int code = subscribe(live);
    if (code == KOV_OK && output_form() == OUTPUT_TABLES) { // what to type while this waits
        printf("babeltrace2 -i lttng-live net://localhost:%u/host/orrery/trace\n",
               live->relay.port);
        trace_left_out_print(&live->run.left_out);
        fflush(stdout);
    }
    while (code == KOV_OK && !interrupted() &&
           (duration == 0 || clock_now() < live->run.begin + duration)) {
        patience_begin(); // for each round, since there may be any number
        code = dci_listen(ROUND_SECONDS);
        if (code == KOV_OK && lttng_wants_metadata(&live->relay))
            code = fetch_metadata(live); // what programs have begun to describe meanwhile
        if (code == KOV_OK && folder != NULL)
            code = capture_tick(&live->run.capture);
    }
    Orrery__Dci__TraceUnsubscribeRequest end = ORRERY__DCI__TRACE_UNSUBSCRIBE_REQUEST__INIT;
    patience_begin();
    if (code == KOV_OK)
        code = trace_unsubscribe(&end, &live->run.counts);
    while (code == KOV_OK && lttng_wants_metadata(&live->relay))
        code = fetch_metadata(live);
    live->run.seconds = clock_now() - live->run.begin;
    lttng_finish(&live->relay);
    while (code == KOV_OK && !lttng_is_done(&live->relay)) {
        patience_begin();
        code = dci_listen(ROUND_SECONDS);
    }
    return code;
}

static void print_account(const json_t *document)
{
    json_int_t clients, refused, packets, late, cut_off;
    json_unpack((json_t *)document, "{s:I,s:I,s:I,s:I,s:I}", "clients", &clients, "refused",
                &refused, "packets", &packets, "late", &late, "cut_off", &cut_off);
    printf("%" JSON_INTEGER_FORMAT " clients, %" JSON_INTEGER_FORMAT " of them refused; "
           "%" JSON_INTEGER_FORMAT " packets given to them, %" JSON_INTEGER_FORMAT
           " came too late, %" JSON_INTEGER_FORMAT " were not taken by clients that were cut off\n",
           clients, refused, packets, late, cut_off);
}

static void tell(const struct live *live)
{
    const struct lttng_account *account = &live->relay.account;
    json_t *document = json_object();
    trace_left_out_json(document, &live->run.left_out);
    put_u64(document, "clients", account->clients);
    put_u64(document, "refused", account->refused);
    put_u64(document, "packets", account->given);
    put_u64(document, "late", account->late);
    put_u64(document, "cut_off", account->cut_off);
    document_tell(document, print_account);
}

static int relay_to_viewers(struct live *live)
{
    int code = lttng_start(&live->relay, (u16)port);
    if (code != KOV_OK)
        return code;
    live->run.capture.keep = true;
    dci_on_event(take_event, live);
    code = relay_trace(live);
    dci_on_event(NULL, NULL);
    lttng_stop(&live->relay);
    return code;
}

static int live_trace(struct live *live)
{
    int code = decide(live);
    if (code == KOV_OK && folder != NULL)
        code = capture_create(&live->run.capture, folder);
    if (code == KOV_OK && folder != NULL)
        code = capture_metadata(&live->run.capture);
    if (code == KOV_OK)
        code = relay_to_viewers(live);
    if (code == KOV_OK && folder != NULL)
        code = capture_metadata(&live->run.capture);
    code = capture_close(&live->run.capture, code);
    if (code == KOV_OK)
        tell(live);
    return code == KOV_OK && folder != NULL ? trace_check_counts(&live->run) : code;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    static struct live live = {.relay.lock = PTHREAD_MUTEX_INITIALIZER};
    if (port == NO_PORT)
        return fail(KOV_USAGE, "give --lttng PORT");
    interrupt_catch();
    int code = session_begin(true);
    if (code == KOV_OK)
        code = live_trace(&live);
    capture_free(&live.run.capture);
    trace_free_counts(&live.run.counts);
    return code;
}

const struct command command_trace_live = {
    .name = "trace live",
    .synopsis = "--lttng PORT [-e LIST] [--pid 0] [--all] [-d SECONDS] [-o FOLDER]",
    .summary = "Let babeltrace2 and others attach to the running trace",
    .details =
        "Speaks LTTng's live protocol, as lttng-relayd does: `babeltrace2 -i lttng-live\n"
        "net://localhost:PORT/host/orrery/trace`. At most 8 viewers at a time, each from when it\n"
        "attaches. One that takes nothing is cut off when 256 MB wait for it; "
        "packets of a process\n"
        "that come over a second late are left out. Both are counted. In the end viewers get\n"
        "everything up to the last event; a second Ctrl-C does not wait for them.",
    .options = {live_options},
    .run = run,
};
