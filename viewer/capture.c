// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata` and a stream file for each CPU.
#include "capture.h"
#include "packet.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    int entries = 0;
    while (readdir(folder) != NULL)
        entries++;
    closedir(folder);
    return entries == 2; // "." and ".."
}

int capture_create(struct capture *capture, const char *folder)
{
    *capture = (struct capture){.folder = folder};
    if (mkdir(folder, 0777) == 0)
        return KOV_OK;
    if (errno != EEXIST)
        return fail(KOV_FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
    if (!folder_is_empty(folder))
        return fail(KOV_FAILED, "%s is there already and is no empty folder; name another with -o",
                    folder);
    return KOV_OK;
}

static FILE *open_file(const struct capture *capture, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", capture->folder, name);
    FILE *file = length < PATH_MAX ? fopen(path, "wb") : NULL;
    if (file == NULL)
        fail(KOV_FAILED, "cannot write %s: %s", path,
             strerror(length < PATH_MAX ? errno : ENAMETOOLONG));
    return file;
}

static int close_file(const struct capture *capture, FILE *file)
{
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    return failed ? fail(KOV_FAILED, "cannot write all of %s: %s", capture->folder, strerror(errno))
                  : KOV_OK;
}

static int take_metadata(void *context, const dci_response *response)
{
    const Orrery__Dci__TraceMetadataReply *reply = response->trace_metadata;
    if (reply->text.len > 0)
        fwrite(reply->text.data, 1, reply->text.len, context);
    return KOV_OK;
}

int capture_metadata(struct capture *capture)
{
    FILE *file = open_file(capture, "metadata");
    if (file == NULL)
        return KOV_FAILED;
    Orrery__Dci__TraceMetadataRequest body = ORRERY__DCI__TRACE_METADATA_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_TRACE_METADATA;
    request.trace_metadata = &body;
    int code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY_TRACE_METADATA,
                        "cannot read the trace's metadata", take_metadata, file);
    int closed = close_file(capture, file);
    return code == KOV_OK ? closed : code;
}

static int open_stream(struct capture *capture, u32 cpu)
{
    char name[32];
    snprintf(name, sizeof(name), "stream_%" PRIu32, cpu);
    capture->cpus[cpu].stream = open_file(capture, name);
    return capture->cpus[cpu].stream == NULL ? KOV_FAILED : KOV_OK;
}

int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet)
{
    u64 events, sequence;
    if (packet->cpu >= ORRERY_MAX_CPUS)
        return fail(KOV_CONNECTION, "a packet of CPU %" PRIu32 ", which cannot be", packet->cpu);
    const char *problem =
        packet_check(packet->data.data, packet->data.len, packet->cpu, &events, &sequence);
    if (problem != NULL)
        return fail(KOV_CONNECTION, "a packet of CPU %" PRIu32 " is damaged: %s", packet->cpu,
                    problem);
    struct capture_cpu *cpu = &capture->cpus[packet->cpu];
    if (cpu->packets > 0 && sequence < cpu->next_sequence)
        return fail(KOV_CONNECTION, "the packets of CPU %" PRIu32 " come out of order",
                    packet->cpu);
    if (cpu->stream == NULL && open_stream(capture, packet->cpu) != KOV_OK)
        return KOV_FAILED;
    if (fwrite(packet->data.data, 1, packet->data.len, cpu->stream) != packet->data.len)
        return fail(KOV_FAILED, "cannot write to %s: %s", capture->folder, strerror(errno));
    cpu->missing_packets += cpu->packets > 0 ? sequence - cpu->next_sequence : 0;
    cpu->next_sequence = sequence + 1;
    cpu->packets++;
    cpu->events += events;
    cpu->bytes += packet->data.len;
    return KOV_OK;
}

int capture_close(struct capture *capture)
{
    int code = KOV_OK;
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        if (capture->cpus[i].stream == NULL)
            continue;
        int closed = close_file(capture, capture->cpus[i].stream);
        capture->cpus[i].stream = NULL;
        code = code == KOV_OK ? closed : code;
    }
    return code;
}
