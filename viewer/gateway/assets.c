// SPDX-License-Identifier: MIT
// The files of the page. Their contents come from assets.S (viewer.mk).
#include "gateway/assets.h"
#include "tools/memory.h"

#include <string.h>
#include <zlib.h>

#define GZIP_ONLY (16 + MAX_WBITS)
#define SIZE_BYTES 4 // at the end of a gzip file, little endian

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

static size_t unpacked_size(const struct asset *asset)
{
    size_t size = 0;
    for (size_t i = 1; i <= SIZE_BYTES; i++)
        size = size << 8 | asset->end[-(long)i];
    return size;
}

char *asset_unpack(const struct asset *asset, size_t *size)
{
    *size = unpacked_size(asset);
    char *text = memory_get(*size);
    z_stream stream = {.next_in = (u8 *)asset->data,
                       .avail_in = (uInt)(asset->end - asset->data),
                       .next_out = (u8 *)text,
                       .avail_out = (uInt)*size};
    inflateInit2(&stream, GZIP_ONLY);
    inflate(&stream, Z_FINISH); // the build has made it, so it is whole
    inflateEnd(&stream);
    return text;
}
