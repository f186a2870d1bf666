// SPDX-License-Identifier: MIT
// Paths of /proc.
#include "contents.h"

#include <orrery/errors.h>
#include <string.h>

static const struct proc_file *find(const struct proc_file *files, u32 count, const char *name)
{
    for (u32 i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    }
    return NULL;
}

// Reads a name as a decimal number without leading zeroes. Returns 0 if it is none.
static u32 pid_of(const char *name, u64 bytes)
{
    u64 pid = 0;
    if (bytes == 0 || bytes > 9 || name[0] == '0')
        return 0;
    for (u64 i = 0; i < bytes; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        pid = pid * 10 + (u64)(name[i] - '0');
    }
    return (u32)pid;
}

static s64 find_in_process(const char *name, struct place *place)
{
    if (strchr(name, '/') != NULL)
        return E_NOENT;
    place->kind = PLACE_FILE;
    place->file = find(process_files, process_file_count, name);
    return place->file != NULL ? 0 : E_NOENT;
}

s64 place_find(const char *path, struct place *place)
{
    *place = (struct place){.kind = PLACE_ROOT};
    if (path[0] != '/')
        return E_INVAL;
    if (path[1] == '\0')
        return 0;
    const char *name = path + 1;
    u64 bytes = strcspn(name, "/");
    place->pid = pid_of(name, bytes);
    if (place->pid != 0) {
        place->kind = PLACE_PROCESS;
        return name[bytes] == '\0' ? 0 : find_in_process(name + bytes + 1, place);
    }
    char first[32];
    if (bytes >= sizeof(first))
        return E_NOENT;
    memcpy(first, name, bytes);
    first[bytes] = '\0';
    place->kind = PLACE_FILE;
    place->file = find(machine_files, machine_file_count, first);
    if (place->file == NULL)
        return E_NOENT;
    return name[bytes] == '\0' ? 0 : E_NOTDIR;
}
