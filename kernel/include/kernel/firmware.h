// SPDX-License-Identifier: MIT
// Open Firmware client calls and RTAS: the device tree and firmware services.
#ifndef KERNEL_FIRMWARE_H
#define KERNEL_FIRMWARE_H

#include <orrery/types.h>

typedef u32 of_node; // a phandle; 0 is none

of_node of_find(const char *path);
of_node of_child(of_node node);
of_node of_peer(of_node node);
// Copies at most bytes of a property. Returns its full length, or E_NOENT.
s64 of_property(of_node node, const char *name, void *to, u64 bytes);
// Gets the first 32-bit cell of a property. E_NOENT.
s64 of_property_u32(of_node node, const char *name, u32 *value);

// Calls an RTAS service by name. Returns its status word, or E_NOENT if the firmware lacks it.
// results, unless NULL, receives result_count further words.
s64 rtas_call(const char *service, u32 argument_count, const u32 *arguments, u32 result_count,
              u32 *results);

#endif
