// SPDX-License-Identifier: MIT
// Paths as texts: made absolute, taken apart at mount points.
#include "path_text.h"

#include <string.h>

struct building {
    char *text;
    u64 length; // 0 stands for "/"
};

static bool append(struct building *out, const char *name, u64 bytes)
{
    if (bytes == 0 || (bytes == 1 && name[0] == '.'))
        return true;
    if (bytes == 2 && name[0] == '.' && name[1] == '.') {
        while (out->length > 0 && out->text[--out->length] != '/')
            ; // drops the last name
        return true;
    }
    if (out->length + 1 + bytes >= PATH_BYTES)
        return false;
    out->text[out->length] = '/';
    memcpy(out->text + out->length + 1, name, bytes);
    out->length += 1 + bytes;
    return true;
}

static bool append_all(struct building *out, const char *path)
{
    while (*path != '\0') {
        u64 bytes = 0;
        while (path[bytes] != '/' && path[bytes] != '\0')
            bytes++;
        if (!append(out, path, bytes))
            return false;
        path += bytes;
        path += *path == '/';
    }
    return true;
}

bool path_absolute(const char *from, const char *path, char out[PATH_BYTES])
{
    struct building building = {.text = out};
    if (path[0] == '\0')
        return false;
    if (path[0] != '/' && !append_all(&building, from))
        return false;
    if (!append_all(&building, path))
        return false;
    if (building.length == 0)
        out[building.length++] = '/';
    out[building.length] = '\0';
    return true;
}

// Most characters sort behind "/", so it takes one look at each.
bool path_is_normal(const char *path)
{
    const char *at = path;
    if (*at != '/')
        return false;
    for (;; at++) {
        while ((u8)*at > '/')
            at++;
        if (*at == '\0')
            return at - path < PATH_BYTES;
        if (*at == '/' && (at[1] == '/' || at[1] == '.' || at[1] == '\0'))
            return at == path && at[1] == '\0';
    }
}

const char *path_below(const char *path, const char *point)
{
    if (point[1] == '\0')
        return path; // everything lies below "/"
    while (*point != '\0') {
        if (*path++ != *point++)
            return NULL;
    }
    if (*path == '\0')
        return "/";
    return *path == '/' ? path : NULL;
}
