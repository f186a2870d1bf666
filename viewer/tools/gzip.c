// SPDX-License-Identifier: MIT
// Bytes packed as gzip does.
#include "tools/gzip.h"
#include "tools/kov.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_HEADER 16 // added to the window's bits: a gzip header in place of zlib's
#define MEMORY_LEVEL 8
#define MAX_BYTES (1u << 31)

void gzip_pack(const u8 *data, size_t size, struct bytes *packed)
{
    z_stream stream = {0};
    if (size > MAX_BYTES)
        exit(fail(KOV_FAILED, "too much to pack"));
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        exit(fail(KOV_FAILED, "out of memory"));
    size_t room = deflateBound(&stream, size);
    stream.next_in = (u8 *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = bytes_reserve(packed, room);
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH); // one call is enough: there is room for the worst case
    packed->size += stream.total_out;
    deflateEnd(&stream);
}
