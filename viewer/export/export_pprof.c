// SPDX-License-Identifier: MIT
// Writes samples as a profile for pprof, packed by gzip.
#include "export/export.h"
#include "export/profile.h"
#include "samples/recording_event.h"
#include "samples/sample_names.h"
#include "symbols/kernel.h"
#include "tools/gzip.h"

#include <inttypes.h>
#include <string.h>

#define NANOSECONDS 1000000000u

struct pprof {
    struct export *export;
    struct profile profile;
    u64 first_time, last_time;
};

static bool has_all_events(const struct export *export)
{
    return export->choice.event == RECORDING_EVENT_ALL;
}

// Adds two values for each event: its samples, and what they stand for.
static void add_types(struct pprof *pprof)
{
    const struct recording *recording = pprof->export->recording;
    bool all = has_all_events(pprof->export);
    u32 first = all ? 0 : pprof->export->choice.event;
    u32 count = all ? recording_event_count(recording) : 1;
    for (u32 event = first; event < first + count; event++) {
        char name[RECORDING_EVENT_NAME_BYTES], samples[RECORDING_EVENT_NAME_BYTES + 16];
        recording_event_name(recording, event, name);
        snprintf(samples, sizeof(samples), all ? "%s-samples" : "samples", name);
        profile_add_type(&pprof->profile, samples, "count");
        profile_add_type(&pprof->profile, name, "count");
    }
    char name[RECORDING_EVENT_NAME_BYTES];
    pprof->profile.default_type =
        profile_text(&pprof->profile, recording_event_name(recording, first, name));
}

// Writes the build id of the file whose names are used. If there is no file for the kernel, it
// writes the id that the machine told.
static void build_id(const struct pprof *pprof, struct symbols *symbols, bool kernel,
                     char text[KERNEL_BUILD_ID_TEXT])
{
    const struct recording *recording = pprof->export->recording;
    const u8 *id = kernel ? recording->build_id : NULL;
    size_t size = kernel ? recording->build_id_size : 0;
    if (symbols != NULL)
        size = symbols_build_id(symbols, &id);
    text[0] = '\0';
    for (size_t i = 0; i < size && i < (KERNEL_BUILD_ID_TEXT - 1) / 2; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static u64 location_of(struct pprof *pprof, const struct export_frame *frame)
{
    const struct snapshot *snapshot = &pprof->export->recording->snapshot;
    const struct process_info *process = snapshot_process(snapshot, frame->space);
    char id[KERNEL_BUILD_ID_TEXT], name[OBJECT_NAME_BYTES];
    build_id(pprof, frame->symbols, frame->space == 0, id);
    if (frame->space == 0)
        snprintf(name, sizeof(name), "[kernel]");
    else if (process != NULL)
        snprintf(name, sizeof(name), "%s", process->name);
    else
        snprintf(name, sizeof(name), "[pid %" PRIu32 "]", frame->space);
    u64 mapping = profile_mapping(&pprof->profile, name, frame->symbols, id);
    return profile_location(&pprof->profile, mapping, frame->symbols, frame->address);
}

static void add_sample(struct pprof *pprof, const struct sample *sample)
{
    const struct recording *recording = pprof->export->recording;
    const struct snapshot *snapshot = &recording->snapshot;
    char object[SAMPLE_NAME_BYTES], class[SAMPLE_NAME_BYTES], process[SAMPLE_NAME_BYTES];
    char cpu[16]; // a text, because the number 0 is no label
    struct export_frame frames[EXPORT_MAX_FRAMES];
    u64 locations[EXPORT_MAX_FRAMES];
    u32 count = export_stack(pprof->export, sample, frames);
    for (u32 i = 0; i < count; i++)
        locations[i] = location_of(pprof, &frames[i]);
    sample_object_name(snapshot, sample, object);
    sample_class_name(snapshot, sample, class);
    sample_process_name(snapshot, sample, process);
    snprintf(cpu, sizeof(cpu), "%" PRIu32, sample->cpu);
    const struct profile_label labels[] = {
        {"object", object}, {"class", class}, {"process", process}, {"cpu", cpu}};
    u32 event = recording_event_of(recording, sample);
    const u64 values[2] = {1, recording_event_weight(recording, sample)};
    profile_add(&pprof->profile, locations, count, labels, ARRAY_SIZE(labels),
                has_all_events(pprof->export) ? 2 * event : 0, values);
    pprof->export->samples++;
    if (sample->time < pprof->first_time)
        pprof->first_time = sample->time;
    if (sample->time > pprof->last_time)
        pprof->last_time = sample->time;
}

// Returns the time from the first to the last sample in nanoseconds; 0 if it is not known.
static u64 duration(const struct pprof *pprof)
{
    u64 hertz = pprof->export->recording->timebase_hz;
    if (hertz == 0 || pprof->last_time < pprof->first_time)
        return 0;
    u64 ticks = pprof->last_time - pprof->first_time;
    return (u64)((unsigned __int128)ticks * NANOSECONDS / hertz);
}

int export_pprof(struct export *export)
{
    const struct recording *recording = export->recording;
    struct pprof pprof = {.export = export, .first_time = UINT64_MAX};
    struct bytes plain = {0}, packed = {0};
    profile_begin(&pprof.profile);
    add_types(&pprof);
    u64 lost = recording_event_lost(recording, export->choice.event);
    char text[80];
    snprintf(text, sizeof(text), "%" PRIu64 " samples were lost when this was recorded", lost);
    if (lost != 0)
        profile_add_comment(&pprof.profile, text);
    for (size_t i = 0; i < recording->samples.count; i++)
        if (sample_is_chosen(recording, &export->choice, &recording->samples.samples[i]))
            add_sample(&pprof, &recording->samples.samples[i]);
    u64 period =
        has_all_events(export) ? 0 : recording_event_period(recording, export->choice.event);
    profile_pack(&pprof.profile, duration(&pprof), pprof.profile.default_type, period, &plain);
    gzip_pack(plain.data, plain.size, &packed);
    fwrite(packed.data, 1, packed.size, export->out);
    bytes_free(&plain);
    bytes_free(&packed);
    profile_free(&pprof.profile);
    return KOV_OK;
}
