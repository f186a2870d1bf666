// SPDX-License-Identifier: MIT
// Where a command writes in the format of another tool: a file, or stdout.
#include "output/out_file.h"
#include "output/document.h"
#include "tools/kov.h"

#include <errno.h>
#include <string.h>

int out_file_check(const char *path)
{
    if (path == NULL && output_form() == OUTPUT_JSON)
        return fail(KOV_USAGE, "--json tells what was written to a file: give --output too");
    return KOV_OK;
}

int out_file_open(const char *path, FILE **out)
{
    *out = path == NULL ? stdout : fopen(path, "wbe");
    return *out != NULL ? KOV_OK : fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
}

int out_file_close(const char *path, FILE *out, int code)
{
    bool failed = fflush(out) != 0 || ferror(out) != 0;
    int error = errno;
    if (path != NULL)
        failed = fclose(out) != 0 || failed;
    if (code == KOV_OK && failed)
        return fail(KOV_FAILED, "cannot write all of %s: %s", path == NULL ? "the output" : path,
                    strerror(error));
    return code;
}
