// SPDX-License-Identifier: MIT
// What a program calls its sensors: section .sensor_names of its ELF file (user/sensor.h).
#ifndef KOV_SENSOR_NAMES_H
#define KOV_SENSOR_NAMES_H

#include "symbols/symbols.h"

#include <stdbool.h>

#define SENSOR_NAME_BYTES 24

// False: the program does not name that one, or there is no file (symbols NULL).
bool sensor_name_find(const struct symbols *symbols, u64 number, char name[SENSOR_NAME_BYTES]);

#endif
