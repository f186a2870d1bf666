// SPDX-License-Identifier: MIT
// `kov hello`: who answers, what it is, and what it allows.
#include "commands/commands.h"
#include "output/json.h"
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

static const char *kernel_match(void)
{
    switch (kernel_check()) {
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

static void print_machine(const dci_system_info *machine, const char *build_id, char *version)
{
    text_make_printable(version, false);
    printf("kernel     %s\n", version);
    const char *match = kernel_match(); // may take the image beside
    printf("build id   %s (%s: %s)\n", build_id, settings.kernel, match);
    printf("cpus       %" PRIu32 "\n", machine->cpu_count);
    printf("memory     %" PRIu64 " MB, %" PRIu64 " MB free\n", machine->memory_bytes >> 20,
           machine->free_bytes >> 20);
    printf("time base  %" PRIu64 " Hz\n", machine->timebase_hz);
    printf("up         %.3f s\n", uptime(machine));
}

static void print_text(const Orrery__Dci__HelloReply *hello, const char *build_id)
{
    printf("machine    Orrery at %s port %" PRIu64 "\n", settings.host, settings.port);
    printf("protocol   version %" PRIu32 "\n", hello->version);
    printf("role       %s\n", role_name(hello->role));
    if (hello->system != NULL)
        print_machine(hello->system, build_id, hello->system->version);
    const Orrery__Dci__Limits *limits = hello->limits;
    if (limits != NULL)
        printf("limits     request %" PRIu32 " bytes, frame %" PRIu32 " bytes, queue %" PRIu32
               " bytes, %" PRIu32 " clients (%" PRIu32 " observers), idle %" PRIu32 " s\n",
               limits->request_bytes, limits->frame_bytes, limits->queue_bytes, limits->clients,
               limits->observers, limits->idle_seconds);
}

static void json_machine(struct json *json, const dci_system_info *machine, const char *build_id)
{
    json_open_object(json, "system");
    const char *match = kernel_match();
    json_text(json, "version", machine->version);
    json_text(json, "build_id", build_id);
    json_text(json, "kernel_file", settings.kernel);
    json_text(json, "kernel_file_build_id", match);
    json_u64(json, "cpus", machine->cpu_count);
    json_u64(json, "memory_bytes", machine->memory_bytes);
    json_u64(json, "free_bytes", machine->free_bytes);
    json_u64(json, "timebase_hz", machine->timebase_hz);
    json_number(json, "uptime_seconds", uptime(machine));
    json_close(json);
}

static void json_limits(struct json *json, const Orrery__Dci__Limits *limits)
{
    json_open_object(json, "limits");
    json_u64(json, "request_bytes", limits->request_bytes);
    json_u64(json, "frame_bytes", limits->frame_bytes);
    json_u64(json, "queue_bytes", limits->queue_bytes);
    json_u64(json, "clients", limits->clients);
    json_u64(json, "observers", limits->observers);
    json_u64(json, "strangers", limits->strangers);
    json_u64(json, "idle_seconds", limits->idle_seconds);
    json_close(json);
}

static void print_json(const Orrery__Dci__HelloReply *hello, const char *build_id)
{
    struct json json = json_begin(stdout);
    json_text(&json, "host", settings.host);
    json_u64(&json, "port", settings.port);
    json_u64(&json, "protocol", hello->version);
    json_text(&json, "role", role_name(hello->role));
    if (hello->system != NULL)
        json_machine(&json, hello->system, build_id);
    if (hello->limits != NULL)
        json_limits(&json, hello->limits);
    json_end(&json);
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(false);
    if (code != KOV_OK)
        return code;
    const Orrery__Dci__HelloReply *hello = session_hello();
    char build_id[KERNEL_BUILD_ID_TEXT] = "";
    if (hello->system != NULL) {
        kernel_use_build_id(hello->system->build_id.data, hello->system->build_id.len);
        kernel_build_id_text(build_id);
    }
    if (settings.json)
        print_json(hello, build_id);
    else
        print_text(hello, build_id);
    return KOV_OK;
}

const struct command command_hello = {
    .name = "hello",
    .synopsis = "",
    .summary = "Ask a machine who it is and what it allows",
    .run = run,
};
