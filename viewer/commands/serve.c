// SPDX-License-Identifier: MIT
// `kov serve`: the gateway to browsers.
#include "commands/commands.h"
#include "gateway/net.h"
#include "gateway/resolver.h"
#include "samples/recording.h"
#include "tools/interrupt.h"
#include "tools/memory.h"
#include "tools/options.h"
#include "tools/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTEN_DEFAULT 8420
#define HISTORY_MB 256

static struct texts machines;
static const char *record, *console;
static bool metrics;
static u64 port = LISTEN_DEFAULT, history_mb = HISTORY_MB;

static const struct option own_options[] = {
    LIST(
        'm', "machine", &machines, "NAME=HOST:PORT",
        "a machine to watch; or NAME=FILE, a recording to play (of --record, or of kov record), or "
        "a trace's folder; again for others, up to 8 "
        "(orrery at --host and --port)"),
    NUMBER('l', "listen", &port, 0, 65535, "PORT",
           "of 127.0.0.1, where browsers connect; 0: any that is free (8420)"),
    TEXT(0, "record", &record, "FILE",
         "record the machine, of which there must be one; a recording there stays as FILE.old"),
    TEXT(0, "console", &console, "FILE",
         "where the output of the one machine's emulator goes: a panic's reason is read there"),
    NUMBER(0, "history", &history_mb, 4, 65536, "MB", "kept of each machine, at most (256)"),
    FLAG(0, "metrics", &metrics,
         "let Prometheus read http://127.0.0.1:PORT/metrics, with the token that is printed"),
    OPTIONS_END,
};

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_samples(const char *path)
{
    char magic[RECORDING_MAGIC_BYTES] = "";
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    bool is = file != NULL && fread(magic, sizeof(magic), 1, file) == 1 &&
              memcmp(magic, RECORDING_MAGIC, sizeof(magic)) == 0;
    if (file != NULL)
        fclose(file);
    return is;
}

// Parses "NAME=HOST:PORT" or "NAME=FILE" in place. A text that ends with a port is no file. Returns
// an exit code.
static int parse_machine(char *text, struct machine_settings *into)
{
    char *equals = strchr(text, '='), *colon = strrchr(text, ':');
    if (equals == NULL || equals == text || equals[1] == 0)
        return fail(KOV_USAGE,
                    "--machine %s: give NAME=HOST:PORT, or NAME=FILE to play a recording", text);
    into->name = text;
    if (colon != NULL && colon > equals + 1 && text_to_u64(colon + 1, 1, 65535, &into->port)) {
        into->host = equals + 1;
        *colon = 0;
    } else if (is_folder(equals + 1)) {
        char metadata[PATH_MAX];
        if (snprintf(metadata, sizeof(metadata), "%s/metadata", equals + 1) >= PATH_MAX ||
            access(metadata, R_OK) != 0)
            return fail(KOV_FAILED, "cannot show %s: it is no trace: %s/metadata: %s", equals + 1,
                        equals + 1, strerror(errno));
        into->folder = equals + 1;
    } else if (is_samples(equals + 1)) {
        into->samples = equals + 1;
    } else {
        into->tape = equals + 1;
    }
    *equals = 0;
    return KOV_OK;
}

static int add_machine(struct hub *hub, struct machine_settings *of)
{
    for (u32 i = 0; i < hub->machine_count; i++)
        if (strcmp(machine_name(hub->machines[i]), of->name) == 0)
            return fail(KOV_USAGE, "--machine %s: there is one of that name", of->name);
    if (hub->machine_count == MACHINES)
        return fail(KOV_USAGE, "--machine %s: there are %u already", of->name, MACHINES);
    of->token = (char *)settings.token; // NULL: each machine has its own, by its port
    of->history_bytes = history_mb << 20;
    of->record = (char *)record;
    of->console = (char *)console;
    of->exposed = metrics;
    struct machine *machine = machine_start(hub->machine_count, of, &hub->posts);
    if (machine == NULL)
        return KOV_FAILED;
    hub->machines[hub->machine_count++] = machine;
    return KOV_OK;
}

static int add_machines(struct hub *hub)
{
    struct machine_settings usual = {
        .name = "orrery", .host = (char *)settings.host, .port = settings.port};
    if (record != NULL && strcmp(record, "-") == 0)
        return fail(KOV_USAGE, "--record: a recording is a file, not standard output: name one");
    if (machines.count == 0)
        return add_machine(hub, &usual);
    if (record != NULL && machines.count > 1)
        return fail(KOV_USAGE, "--record: one machine alone; for each of several give a kov serve, "
                               "which may run beside the others");
    if (console != NULL && machines.count > 1)
        return fail(KOV_USAGE, "--console: one machine alone, whose output FILE has");
    int code = KOV_OK;
    for (u32 i = 0; i < machines.count && code == KOV_OK; i++) {
        struct machine_settings of = {0};
        char *text = memory_copy_text(machines.texts[i]);
        code = parse_machine(text, &of);
        if (code == KOV_OK && of.host == NULL && record != NULL)
            code = fail(KOV_USAGE, "--record: %s is a recording already",
                        of.tape != NULL     ? of.tape
                        : of.folder != NULL ? of.folder
                                            : of.samples);
        if (code == KOV_OK)
            code = add_machine(hub, &of);
        free(text);
    }
    return code;
}

// For each machine one that shows its boot before. They follow all machines, and end after them.
static int add_pasts(struct hub *hub)
{
    for (u32 i = 0, count = hub->machine_count; i < count; i++) {
        struct machine *past =
            machine_start_past(hub->machine_count, hub->machines[i], &hub->posts);
        if (past == NULL)
            return KOV_FAILED;
        hub->machines[hub->machine_count++] = past;
    }
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    static struct hub hub;
    interrupt_catch();
    int code = access_init(&hub.access);
    if (code == KOV_OK && metrics)
        code = access_open_metrics(&hub.access);
    struct net *net = code == KOV_OK ? net_open(&hub, (int)port) : NULL;
    if (net == NULL)
        return code == KOV_OK ? KOV_FAILED : code;
    post_queue_init(&hub.posts, net_wake, net);
    code = add_machines(&hub);
    if (code == KOV_OK)
        code = add_pasts(&hub);
    if (code == KOV_OK) {
        // The links go to stdout and nowhere else, since they have the tokens.
        printf("controller: %s/#t=%s\n", hub.access.origin, hub.access.controller);
        printf("observer:   %s/#t=%s\n", hub.access.origin, hub.access.observer);
        if (metrics)
            printf("metrics:    %s/metrics with the bearer token %s\n", hub.access.origin,
                   hub.access.metrics);
        fflush(stdout);
        net_run(net);
    }
    for (u32 i = 0; i < hub.machine_count; i++) {
        machine_end(hub.machines[i]);
        hub.machines[i] = NULL;
    }
    resolver_end();
    net_close(net);
    hub_free(&hub);
    return code;
}

const struct command command_serve = {
    .name = "serve",
    .synopsis = "[-m NAME=HOST:PORT|NAME=FILE|NAME=FOLDER]… [-l PORT] [--record FILE] "
                "[--console FILE] [--history MB] [--metrics]",
    .summary = "Show machines in browsers, live",
    .details =
        "Prints two links: whoever opens the first may also start workloads, end processes and\n"
        "choose what is sampled, whoever opens the second looks. Ctrl-C ends it. "
        "Other kov commands\n"
        "work beside it: it gives way to those that sample or need its counters, "
        "and shows what they\n"
        "sample; metrics are unknown while others have the counters.\n\n"
        "--record writes down what the one machine tells, while it is shown. -m NAME=FILE plays\n"
        "that: with the times and at the speed of then, up to its end, where it stays. Nothing\n"
        "can be done to it. A file is never written over; one whose kov was killed plays too.\n\n"
        "--console FILE: a kernel that panics says why on its console, when nobody can ask it any\n"
        "more. FILE has that: `make run | tee FILE`. The page then shows it.\n\n"
        "--metrics exposes counts, metrics with their errors, processes, losses and the hottest\n"
        "objects of live machines as OpenMetrics. They weigh on the machines only while something\n"
        "reads them.\n\n"
        "-m NAME=FILE with a FILE of `kov record` shows its samples: objects, rankings,\n"
        "functions. What else the machine did is not in it, and the page says so.\n\n"
        "-m NAME=FOLDER shows a trace, as `kov trace record` writes it: what the CPUs did, on the\n"
        "page's Timeline.",
    .options = {own_options},
    .run = run,
};
