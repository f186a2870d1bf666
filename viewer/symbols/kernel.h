// SPDX-License-Identifier: MIT
// The kernel's ELF file as this run of kov uses it: opened once, compared with the kernel that runs
// or ran.
#ifndef KOV_KERNEL_H
#define KOV_KERNEL_H

#include "symbols/symbols.h"

#define KERNEL_BUILD_ID_TEXT 65 // hexadecimal digits of the longest build id, and the end

enum kernel_match { KERNEL_MATCHES, KERNEL_DIFFERS, KERNEL_UNKNOWN, KERNEL_UNREADABLE };

// The build id that the machine, or a recording of it, tells. Longer ones than 32 bytes are cut.
void kernel_use_build_id(const u8 *id, size_t size);
void kernel_build_id_text(char text[KERNEL_BUILD_ID_TEXT]);

// Whether the file is that kernel's; says nothing.
enum kernel_match kernel_check(void);

// The symbols, or NULL with a warning. A warning too when they are another kernel's: names may be
// wrong then.
struct symbols *kernel_symbols(void);
void kernel_close(void);

#endif
