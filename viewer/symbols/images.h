// SPDX-License-Identifier: MIT
// Where the machine's images and programs are looked for when no option names them.
#ifndef KOV_IMAGES_H
#define KOV_IMAGES_H

#include <limits.h>
#include <stdbool.h>

// The folders, best first: where this kov is, since a build leaves all in one folder; build/ in the
// current folder; the current folder.
#define IMAGE_FOLDERS 3

// Writes the path of a file in one of these folders. Returns false if it has no room.
bool image_path(int folder, const char *file, char path[PATH_MAX]);

// Remembers for this thread where the kernel's image is, since programs come from the same build:
// those of another may have the same names. NULL: it was not found.
void image_found(const char *kernel);
// Writes the path of a program's file, as image_path. After image_found there is one folder, that
// of the kernel's image, or none.
bool image_program_path(int folder, const char *file, char path[PATH_MAX]);

#endif
