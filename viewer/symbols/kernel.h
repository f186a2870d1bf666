// SPDX-License-Identifier: MIT
// The kernel's ELF file. It is opened once and compared with the kernel that runs or ran.
#ifndef KOV_KERNEL_H
#define KOV_KERNEL_H

#include "symbols/symbols.h"

#include <limits.h>

#define KERNEL_BUILD_ID_BYTES 32
#define KERNEL_BUILD_ID_TEXT (2 * KERNEL_BUILD_ID_BYTES + 1) // hexadecimal digits, and the end

enum kernel_match { KERNEL_MATCHES, KERNEL_DIFFERS, KERNEL_UNKNOWN, KERNEL_UNREADABLE };

// The kernel of a machine or of a recording. All zero at first.
struct kernel {
    u8 id[KERNEL_BUILD_ID_BYTES];
    size_t id_size;
    struct symbols *symbols;
    char path[PATH_MAX]; // of the file, once it has been looked for
    const char *problem;
    bool tried;
};

// Takes the build id that the machine, or a recording of it, tells. An id longer than 32 bytes is
// cut.
void kernel_use_build_id(struct kernel *kernel, const u8 *id, size_t size);
void kernel_build_id_text(const struct kernel *kernel, char text[KERNEL_BUILD_ID_TEXT]);

// Returns whether the file that the settings name is that kernel's, or the image with the
// benchmarks beside it. If they name none, it looks for the kernel's file (symbols/images.h).
// Prints nothing.
enum kernel_match kernel_check(struct kernel *kernel);

// Returns the symbols, or NULL with a warning. It also warns if they are another kernel's, since
// names may then be wrong.
struct symbols *kernel_symbols(struct kernel *kernel);
void kernel_close(struct kernel *kernel);

#endif
