// SPDX-License-Identifier: MIT
// `kov disk format`: begins the machine's disk anew.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/options.h"
#include "record/disk.h"

static bool force;

static const struct option options[] = {
    FLAG(0, "force", &force, "also if the file holds something else"),
    OPTIONS_END,
};

static int run(const struct arguments *arguments)
{
    u64 bytes;
    if (arguments->count != 1)
        return fail(KOV_USAGE, "name the file with the disk");
    int code = disk_format(arguments->values[0], force, &bytes);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_text(document, "formatted", arguments->values[0]);
    put_u64(document, "bytes", bytes);
    document_tell(document, NULL);
    return KOV_OK;
}

const struct command command_disk_format = {
    .name = "disk format",
    .synopsis = "FILE",
    .summary = "Begin the machine's disk anew: all of /data is lost",
    .details =
        "FILE is the file with the disk (`make run DISK=FILE`); its machine must be off. It is\n"
        "zeroes then, of the same size, which the machine's first save formats. Nothing else\n"
        "begins a damaged disk anew. It needs no machine.",
    .options = {options},
    .max_arguments = 1,
    .run = run,
};
