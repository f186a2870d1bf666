// SPDX-License-Identifier: MIT
// `kov trace read`: reads from the machine's disk a trace that its program `trace` has recorded.
#include "commands/commands.h"
#include "output/columns.h"
#include "output/document.h"
#include "record/capture.h"
#include "record/disk.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define POINT "/data/"

static const struct column columns[] = {
    COLUMN("FOLDER", "folder", -24),
    COLUMN("FILES", "files", 6),
    COLUMN("BYTES", "bytes", 12),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"traces", columns}, {NULL, NULL}};

struct reading {
    struct capture capture;
    u64 files, bytes;
    bool has_metadata;
};

static int look(void *context, const char *name, const u8 *data, u64 bytes)
{
    struct reading *reading = context;
    (void)data;
    (void)bytes;
    reading->has_metadata |= strcmp(name, "metadata") == 0;
    return KOV_OK;
}

static int take(void *context, const char *name, const u8 *data, u64 bytes)
{
    struct reading *reading = context;
    char path[PATH_MAX];
    if (!capture_is_part(name))
        return KOV_OK;
    int length = snprintf(path, sizeof(path), "%s/%s", reading->capture.folder.place, name);
    FILE *file = length < PATH_MAX ? fopen(path, "wbx") : NULL;
    bool good = file != NULL && fwrite(data, 1, bytes, file) == bytes;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    reading->files++;
    reading->bytes += bytes;
    return good ? KOV_OK : fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
}

static int read_trace(const struct disk *disk, const char *from, const char *folder)
{
    struct reading reading = {0};
    int code = disk_files(disk, from, look, &reading);
    if (code == KOV_OK && !reading.has_metadata)
        return fail(KOV_FAILED, "%s has no trace in " POINT "%s", disk->path, from);
    if (code == KOV_OK)
        code = capture_create(&reading.capture, folder);
    if (code == KOV_OK)
        code = capture_close(&reading.capture, disk_files(disk, from, take, &reading));
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    json_t *row = put_object(put_array(document, "traces"), NULL);
    put_text(row, "folder", folder);
    put_u64(row, "files", reading.files);
    put_u64(row, "bytes", reading.bytes);
    document_show(document, sheets);
    return KOV_OK;
}

// Splits DISK:/data/FOLDER. The folder loses slashes at its end.
static int split(const char *text, char disk[PATH_MAX], char from[PATH_MAX])
{
    const char *colon = strstr(text, ":" POINT);
    if (colon == NULL || strlen(text) >= PATH_MAX || colon == text)
        return fail(KOV_USAGE, "%s is no DISK:" POINT "FOLDER", text);
    snprintf(disk, PATH_MAX, "%.*s", (int)(colon - text), text);
    snprintf(from, PATH_MAX, "%s", colon + 1 + strlen(POINT));
    for (size_t length = strlen(from); length > 0 && from[length - 1] == '/'; length--)
        from[length - 1] = '\0';
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    char path[PATH_MAX], from[PATH_MAX];
    struct disk disk = {0};
    if (arguments->count != 2)
        return fail(KOV_USAGE, "name a disk with a folder on it, and the folder to make");
    int code = split(arguments->values[0], path, from);
    if (code == KOV_OK)
        code = disk_open(&disk, path);
    if (code == KOV_OK)
        code = read_trace(&disk, from, arguments->values[1]);
    disk_close(&disk);
    return code;
}

const struct command command_trace_read = {
    .name = "trace read",
    .synopsis = "DISK:/data/FROM FOLDER",
    .summary = "Take a trace from the machine's disk, which its program `trace` has recorded",
    .details =
        "DISK is the file with the disk (`make run DISK=FILE`). The machine may be off or on: "
        "the\nnewest whole state of /data that is on the disk counts, which `sync` in the "
        "machine\nrenews. FOLDER is then as that of `kov trace record`.",
    .max_arguments = 2,
    .run = run,
};
