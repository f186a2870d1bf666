// SPDX-License-Identifier: MIT
// Which server a path belongs to.
#ifndef POSIX_MOUNTS_H
#define POSIX_MOUNTS_H

#include "path_text.h"
#include <posix/service.h>

#define ROOT_SERVICE "fs"

// A path, or a name in it, that no file can have. For posix_errno; the library's own, beside the
// errors of orrery/errors.h.
#define PATH_TOO_LONG (-4096L)

// One call on a path, at its server. path: as that server sees it.
typedef s64 (*path_call)(cap_t server, const char *path, void *argument);

// Makes the call at the server that the path belongs to, and again if the mount table has changed
// or the server has been restarted. *service (may be NULL): whose answer it is. Returns what the
// call returned, or E_NOENT, E_NOTDIR, PATH_TOO_LONG, E_TIMEOUT.
s64 path_do(const char *path, path_call call, void *argument, struct service **service);

// Makes one call at a service, and once more if the service had been restarted. Not for calls on
// its handles.
typedef s64 (*service_call)(cap_t server, void *argument);
s64 service_do(struct service *service, service_call call, void *argument);

// Gets the texts of two paths at the one server that both belong to, for rename. E_NOTSUP: they do
// not. Otherwise as path_do.
s64 path_pair(const char *from, const char *to, char from_text[PATH_BYTES],
              char to_text[PATH_BYTES], struct service **service);
// Forgets the mount table: it is read again when it is next needed.
void mounts_invalidate(void);

// Makes the absolute, normal path of one that path_do has found to be right. Returns 0, E_NOENT
// (it is empty) or PATH_TOO_LONG.
s64 path_resolve(const char *path, char out[PATH_BYTES]);

// Get and set the working directory, an absolute, normal path.
void directory_get(char out[PATH_BYTES]);
void directory_set(const char *path);

#endif
