// SPDX-License-Identifier: MIT
// `kov hello`: who answers, what it is, and what it allows.
#include "commands/commands.h"
#include "output/columns.h"
#include "symbols/kernel.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>

#define VERSION_BYTES 256

static const char *kernel_match(struct kernel *kernel)
{
    switch (kernel_check(kernel)) {
    case KERNEL_MATCHES:
        return "matches";
    case KERNEL_DIFFERS:
        return "differs";
    case KERNEL_UNKNOWN:
        return "unknown";
    case KERNEL_UNREADABLE:
        break;
    }
    return "unreadable";
}

static void put_machine(json_t *json, const dci_system_info *machine, struct kernel *kernel)
{
    char build_id[KERNEL_BUILD_ID_TEXT];
    kernel_build_id_text(kernel, build_id);
    json_t *object = put_object(json, "system");
    const char *match = kernel_match(kernel);
    put_text(object, "version", machine->version);
    put_text(object, "build_id", build_id);
    put_text(object, "kernel_file", kernel->path);
    put_text(object, "kernel_file_build_id", match);
    put_u64(object, "cpus", machine->cpu_count);
    put_u64(object, "lockups", machine->lockups);
    put_u64(object, "memory_bytes", machine->memory_bytes);
    put_u64(object, "free_bytes", machine->free_bytes);
    put_u64(object, "timebase_hz", machine->timebase_hz);
    bool known = machine->timebase_hz != 0 && machine->time >= machine->boot_time;
    put_number(object, "uptime_seconds",
               known ? (double)(machine->time - machine->boot_time) / (double)machine->timebase_hz
                     : 0);
}

static void put_limits(json_t *json, const Orrery__Dci__Limits *limits)
{
    json_t *object = put_object(json, "limits");
    put_u64(object, "request_bytes", limits->request_bytes);
    put_u64(object, "frame_bytes", limits->frame_bytes);
    put_u64(object, "queue_bytes", limits->queue_bytes);
    put_u64(object, "clients", limits->clients);
    put_u64(object, "observers", limits->observers);
    put_u64(object, "strangers", limits->strangers);
    put_u64(object, "idle_seconds", limits->idle_seconds);
}

// ---- for people --------------------------------------------------------------------------------

static u64 number(const json_t *row, const char *key)
{
    return (u64)json_integer_value(json_object_get(row, key));
}

static const char *words(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static void print_machine(const json_t *machine)
{
    char version[VERSION_BYTES];
    snprintf(version, sizeof(version), "%s", words(machine, "version"));
    text_make_printable(version, false); // the version comes from the machine
    printf("kernel     %s\n", version);
    printf("build id   %s (%s: %s)\n", words(machine, "build_id"), words(machine, "kernel_file"),
           words(machine, "kernel_file_build_id"));
    printf("cpus       %" PRIu64 "\n", number(machine, "cpus"));
    printf("memory     %" PRIu64 " MB, %" PRIu64 " MB free\n",
           number(machine, "memory_bytes") >> 20, number(machine, "free_bytes") >> 20);
    printf("time base  %" PRIu64 " Hz\n", number(machine, "timebase_hz"));
    if (number(machine, "lockups") > 0)
        printf("lockups    %" PRIu64 ": a CPU hung, the console says where\n",
               number(machine, "lockups"));
    printf("up         %.3f s\n", json_number_value(json_object_get(machine, "uptime_seconds")));
}

static void print(const json_t *document)
{
    printf("machine    Orrery at %s port %" PRIu64 "\n", words(document, "host"),
           number(document, "port"));
    printf("protocol   version %" PRIu64 "\n", number(document, "protocol"));
    printf("role       %s\n", words(document, "role"));
    if (json_object_get(document, "system") != NULL)
        print_machine(json_object_get(document, "system"));
    const json_t *limits = json_object_get(document, "limits");
    if (limits != NULL)
        printf("limits     request %" PRIu64 " bytes, frame %" PRIu64 " bytes, queue %" PRIu64
               " bytes, %" PRIu64 " clients (%" PRIu64 " observers), idle %" PRIu64 " s\n",
               number(limits, "request_bytes"), number(limits, "frame_bytes"),
               number(limits, "queue_bytes"), number(limits, "clients"),
               number(limits, "observers"), number(limits, "idle_seconds"));
}

// ---- the command -------------------------------------------------------------------------------

static json_t *describe(const Orrery__Dci__HelloReply *hello, struct kernel *kernel)
{
    json_t *document = json_object();
    put_text(document, "host", settings.host);
    put_u64(document, "port", settings.port);
    put_u64(document, "protocol", hello->version);
    put_text(document, "role", role_name(hello->role));
    if (hello->system != NULL)
        put_machine(document, hello->system, kernel);
    if (hello->limits != NULL)
        put_limits(document, hello->limits);
    return document;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(false);
    if (code != KOV_OK)
        return code;
    const Orrery__Dci__HelloReply *hello = session_hello();
    struct kernel kernel = {0};
    if (hello->system != NULL)
        kernel_use_build_id(&kernel, hello->system->build_id.data, hello->system->build_id.len);
    document_tell(describe(hello, &kernel), print);
    kernel_close(&kernel);
    return KOV_OK;
}

const struct command command_hello = {
    .name = "hello",
    .synopsis = "",
    .summary = "Ask a machine who it is and what it allows",
    .run = run,
};
