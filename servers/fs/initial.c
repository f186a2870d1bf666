// SPDX-License-Identifier: MIT
// Loads the initial file system. The contents of its files stay in the archive.
#include "tree.h"

#include <cpio/cpio.h>
#include <stdio.h>
#include <string.h>

// Makes the directories on the way to a path: the archive may name them later or not at all.
static s64 make_parents(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        s64 status = filesystem_make_directory(path);
        *at = '/';
        if (status != 0 && status != E_EXIST)
            return status;
    }
    return 0;
}

// Adds a file. There is no other thread yet, so this takes no lock.
static s64 add_file(const char *path, const struct cpio *archive, const struct cpio_entry *entry,
                    cap_t memory)
{
    struct place place;
    s64 status = tree_walk(path, &place);
    if (status != 0)
        return status;
    if (place.node != NULL)
        return E_EXIST;
    struct node *node = initrd_file_create(place.name, archive->data + entry->offset, entry->bytes,
                                           entry->offset, memory);
    if (node == NULL)
        return E_NOMEM;
    tree_link(place.directory, node);
    return 0;
}

static s64 add_entry(const struct cpio *archive, const struct cpio_entry *entry, cap_t memory)
{
    char path[CPIO_NAME_MAX + 2];
    snprintf(path, sizeof(path), "/%s", entry->name);
    s64 status = make_parents(path);
    if (status != 0)
        return status;
    status =
        entry->directory ? filesystem_make_directory(path) : add_file(path, archive, entry, memory);
    return status == E_EXIST ? 0 : status;
}

s64 initial_load(const u8 *archive, u64 bytes, cap_t memory, bool *damaged)
{
    struct cpio cpio = {.data = archive, .bytes = bytes};
    struct cpio_entry entry;
    s64 status;
    *damaged = false;
    while ((status = cpio_next(&cpio, &entry)) > 0) {
        status = add_entry(&cpio, &entry, memory);
        if (status == E_NOMEM)
            return status;
    }
    *damaged = status == E_PROTO;
    return *damaged ? 0 : status;
}
