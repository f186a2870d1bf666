// SPDX-License-Identifier: MIT
// The files of the page. What stands behind the names comes from assets.S (viewer.mk).
#include "gateway/assets.h"

#include <string.h>

#define ASSET(name)                                                                                \
    extern const u8 asset_##name[];                                                                \
    extern const u8 asset_##name##_end[]

ASSET(index);
ASSET(main);
ASSET(style);

const struct asset *asset_find(const char *path)
{
    static struct {
        const char *path, *type;
        const u8 *data, *end;
    } const files[] = {
        {"/", "text/html; charset=utf-8", asset_index, asset_index_end},
        {"/main.js", "text/javascript; charset=utf-8", asset_main, asset_main_end},
        {"/style.css", "text/css; charset=utf-8", asset_style, asset_style_end},
    };
    static struct asset found; // until the next call: the net thread's
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        if (strcmp(files[i].path, path) == 0) {
            found = (struct asset){files[i].path, files[i].type, files[i].data,
                                   (size_t)(files[i].end - files[i].data)};
            return &found;
        }
    return NULL;
}
