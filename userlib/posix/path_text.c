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

static bool is_name(const char *at, u64 bytes, const char *name)
{
    return strlen(name) == bytes && memcmp(at, name, bytes) == 0;
}

u64 path_next_directory(const char *path, u64 *at)
{
    u64 found = 0; // the end of the last name, "." not counted
    for (;;) {
        u64 start = *at + strspn(path + *at, "/"), bytes = strcspn(path + start, "/");
        *at = start + bytes;
        if (bytes == 0)
            return found != start ? found : 0; // 0: a plain name is at the end
        if (is_name(path + start, bytes, "..") && found != 0)
            return found;
        if (!is_name(path + start, bytes, "..") && !is_name(path + start, bytes, "."))
            found = *at;
    }
}

bool path_has_long_name(const char *path)
{
    u64 bytes = 0;
    for (; *path != '\0' && bytes <= NAME_BYTES; path += bytes) {
        path += strspn(path, "/");
        bytes = strcspn(path, "/");
    }
    return bytes > NAME_BYTES;
}

bool path_ends_with(const char *path, const char *name)
{
    u64 end = strlen(path), start;
    while (end > 0 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/'; start--)
        ;
    return is_name(path + start, end - start, name);
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
