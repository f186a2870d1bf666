// SPDX-License-Identifier: MIT
// Bytes packed as gzip does.
#include "tools/gzip.h"
#include "tools/kov.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_HEADER 16 // added to the window's bits: a gzip header in place of zlib's
#define MEMORY_LEVEL 8
#define PART_BYTES 65536
#define MAX_BYTES (1u << 31)

static bool begin(z_stream *stream)
{
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
                        MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
}

void gzip_pack(const u8 *data, size_t size, struct bytes *packed)
{
    z_stream stream = {0};
    if (size > MAX_BYTES)
        exit(fail(KOV_FAILED, "too much to pack"));
    if (!begin(&stream))
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

struct gzip {
    z_stream stream;
    FILE *to;
    u8 packed[PART_BYTES];
};

// Packs what stands in the stream's input; with Z_FINISH all that zlib still holds, too.
static bool pack(struct gzip *gzip, int flush)
{
    do {
        gzip->stream.next_out = gzip->packed;
        gzip->stream.avail_out = sizeof(gzip->packed);
        deflate(&gzip->stream, flush);
        size_t size = sizeof(gzip->packed) - gzip->stream.avail_out;
        if (fwrite(gzip->packed, 1, size, gzip->to) != size)
            return false;
    } while (gzip->stream.avail_out == 0);
    return true;
}

static ssize_t gzip_write(void *cookie, const char *data, size_t size)
{
    struct gzip *gzip = cookie;
    gzip->stream.next_in = (u8 *)data;
    gzip->stream.avail_in = (uInt)size;
    return pack(gzip, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int gzip_close(void *cookie)
{
    struct gzip *gzip = cookie;
    bool packed = pack(gzip, Z_FINISH);
    deflateEnd(&gzip->stream);
    free(gzip);
    return packed ? 0 : EOF;
}

FILE *gzip_open(FILE *to)
{
    struct gzip *gzip = memory_get(sizeof(*gzip));
    gzip->to = to;
    FILE *stream = NULL;
    if (begin(&gzip->stream))
        stream = fopencookie(gzip, "w",
                             (cookie_io_functions_t){.write = gzip_write, .close = gzip_close});
    if (stream == NULL) {
        deflateEnd(&gzip->stream);
        free(gzip);
    }
    return stream;
}
