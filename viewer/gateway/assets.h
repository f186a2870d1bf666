// SPDX-License-Identifier: MIT
// The files of the page, compressed with gzip, out of the program itself.
#ifndef KOV_ASSETS_H
#define KOV_ASSETS_H

#include <orrery/types.h>

struct asset {
    const char *path; // "/main.js"
    const char *type;
    const u8 *data, *end;
};

// NULL: there is no such file. The path is compared as it is: nothing is looked up anywhere.
const struct asset *asset_find(const char *path);

#endif
