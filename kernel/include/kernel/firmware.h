// SPDX-License-Identifier: MIT
// Open Firmware client calls and RTAS (PLATFORM.md §4): the device tree and firmware services.
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <orrery/types.h>

typedef u32 of_node; // a phandle; 0 is none

of_node of_find(const char *path);
of_node of_child(of_node node);
of_node of_peer(of_node node);
// Copies at most bytes of a property; returns its full length, or E_NOENT.
s64 of_property(of_node node, const char *name, void *to, u64 bytes);
// First 32-bit cell of a property, or E_NOENT.
s64 of_property_u32(of_node node, const char *name, u32 *value);

// Calls an RTAS service by name; returns its status word, or E_NOENT when the firmware has
// none such. results, unless NULL, receives result_count further words.
s64 rtas_call(const char *service, u32 argument_count, const u32 *arguments, u32 result_count,
              u32 *results);

#endif
