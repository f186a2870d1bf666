// SPDX-License-Identifier: MIT
// The files of the page, compressed with gzip, from the program itself.
#ifndef KOV_ASSETS_H
#define KOV_ASSETS_H

#include <orrery/types.h>

struct asset {
    const char *path; // "/main.js"
    const char *type;
    const u8 *data, *end;
};

// Returns NULL if there is no such file. It compares the path as it is, and looks nothing up
// elsewhere.
const struct asset *asset_find(const char *path);
// Returns the file itself, for who takes no gzip. The caller frees it.
char *asset_unpack(const struct asset *asset, size_t *size);

#endif
