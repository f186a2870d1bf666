// SPDX-License-Identifier: MIT
// The files of the page. Their contents come from assets.S (viewer.mk).
#include "gateway/assets.h"

#include <string.h>

#define ASSET(name)                                                                                \
    extern const u8 asset_##name[];                                                                \
    extern const u8 asset_##name##_end[]

ASSET(index);
ASSET(icon);
ASSET(main);
ASSET(style);

static const struct asset assets[] = {
    {"/", "text/html; charset=utf-8", asset_index, asset_index_end},
    {"/icon.svg", "image/svg+xml", asset_icon, asset_icon_end},
    {"/main.js", "text/javascript; charset=utf-8", asset_main, asset_main_end},
    {"/style.css", "text/css; charset=utf-8", asset_style, asset_style_end},
};

const struct asset *asset_find(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(assets); i++)
        if (strcmp(assets[i].path, path) == 0)
            return &assets[i];
    return NULL;
}
