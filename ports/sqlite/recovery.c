// SPDX-License-Identifier: MIT
// Locks that are folders, and what a crash left behind. SQLite's unix-dotfile asks whether a folder
// is there to learn if somebody else writes, and by then has made it itself: so it never puts back
// what a crash interrupted. Here the answer is no. Whoever asks has the folder, and so is alone.
#include "sqlite3.h"

#include <stddef.h>

static sqlite3_vfs *dotfile;
static sqlite3_vfs here;
static sqlite3_io_methods methods; // those of unix-dotfile, but for one

static int nobody_else_writes(sqlite3_file *file, int *reserved)
{
    (void)file;
    *reserved = 0;
    return SQLITE_OK;
}

static int open_here(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened)
{
    (void)vfs;
    int result = dotfile->xOpen(dotfile, name, file, flags, opened);
    if (result != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0)
        return result; // others are not locked
    methods = *file->pMethods;
    methods.xCheckReservedLock = nobody_else_writes;
    file->pMethods = &methods;
    return SQLITE_OK;
}

// SQLite calls it at its start (SQLITE_EXTRA_INIT).
int orrery_recovery(const char *unused)
{
    (void)unused;
    dotfile = sqlite3_vfs_find("unix-dotfile");
    if (dotfile == NULL)
        return SQLITE_ERROR;
    here = *dotfile;
    here.zName = "orrery";
    here.xOpen = open_here;
    return sqlite3_vfs_register(&here, 1);
}
