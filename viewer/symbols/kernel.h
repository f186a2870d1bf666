// SPDX-License-Identifier: MIT
// The kernel's ELF file: opened once, compared with the kernel that runs or ran.
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
    char path[PATH_MAX]; // of the file, once it was looked for
    const char *problem;
    bool tried;
};

// The build id that the machine, or a recording of it, tells. Longer ones than 32 bytes are cut.
void kernel_use_build_id(struct kernel *kernel, const u8 *id, size_t size);
void kernel_build_id_text(const struct kernel *kernel, char text[KERNEL_BUILD_ID_TEXT]);

// Whether the file that the settings name, or the image with the benchmarks beside it, is that
// kernel's; says nothing.
enum kernel_match kernel_check(struct kernel *kernel);

// The symbols, or NULL with a warning. A warning too when they are another kernel's: names may be
// wrong then.
struct symbols *kernel_symbols(struct kernel *kernel);
void kernel_close(struct kernel *kernel);

#endif
