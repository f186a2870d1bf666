// SPDX-License-Identifier: MIT
// `kov hello`: who answers, what it is, and what it allows.
#include "commands/commands.h"
#include "output/document.h"
#include "symbols/kernel.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>

static double uptime(const dci_system_info *machine)
{
    if (machine->timebase_hz == 0 || machine->time < machine->boot_time)
        return 0;
    return (double)(machine->time - machine->boot_time) / (double)machine->timebase_hz;
}

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

static void print_machine(const dci_system_info *machine, struct kernel *kernel, char *version)
{
    char build_id[KERNEL_BUILD_ID_TEXT];
    kernel_build_id_text(kernel, build_id);
    text_make_printable(version, false);
    printf("kernel     %s\n", version);
    const char *match = kernel_match(kernel); // may take the image beside
    printf("build id   %s (%s: %s)\n", build_id, kernel->path, match);
    printf("cpus       %" PRIu32 "\n", machine->cpu_count);
    printf("memory     %" PRIu64 " MB, %" PRIu64 " MB free\n", machine->memory_bytes >> 20,
           machine->free_bytes >> 20);
    printf("time base  %" PRIu64 " Hz\n", machine->timebase_hz);
    printf("up         %.3f s\n", uptime(machine));
}

static void print_text(const Orrery__Dci__HelloReply *hello, struct kernel *kernel)
{
    printf("machine    Orrery at %s port %" PRIu64 "\n", settings.host, settings.port);
    printf("protocol   version %" PRIu32 "\n", hello->version);
    printf("role       %s\n", role_name(hello->role));
    if (hello->system != NULL)
        print_machine(hello->system, kernel, hello->system->version);
    const Orrery__Dci__Limits *limits = hello->limits;
    if (limits != NULL)
        printf("limits     request %" PRIu32 " bytes, frame %" PRIu32 " bytes, queue %" PRIu32
               " bytes, %" PRIu32 " clients (%" PRIu32 " observers), idle %" PRIu32 " s\n",
               limits->request_bytes, limits->frame_bytes, limits->queue_bytes, limits->clients,
               limits->observers, limits->idle_seconds);
}

static void json_machine(json_t *json, const dci_system_info *machine, struct kernel *kernel)
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
    put_u64(object, "memory_bytes", machine->memory_bytes);
    put_u64(object, "free_bytes", machine->free_bytes);
    put_u64(object, "timebase_hz", machine->timebase_hz);
    put_number(object, "uptime_seconds", uptime(machine));
}

static void json_limits(json_t *json, const Orrery__Dci__Limits *limits)
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

static void print_json(const Orrery__Dci__HelloReply *hello, struct kernel *kernel)
{
    json_t *document = json_object();
    put_text(document, "host", settings.host);
    put_u64(document, "port", settings.port);
    put_u64(document, "protocol", hello->version);
    put_text(document, "role", role_name(hello->role));
    if (hello->system != NULL)
        json_machine(document, hello->system, kernel);
    if (hello->limits != NULL)
        json_limits(document, hello->limits);
    document_print(document);
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
    if (settings.json)
        print_json(hello, &kernel);
    else
        print_text(hello, &kernel);
    kernel_close(&kernel);
    return KOV_OK;
}

const struct command command_hello = {
    .name = "hello",
    .synopsis = "",
    .summary = "Ask a machine who it is and what it allows",
    .run = run,
};
