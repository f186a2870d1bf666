// SPDX-License-Identifier: MIT
// The names that a program gives its sensors: section .sensor_names of its ELF file
// (user/sensor.h).
#ifndef KOV_SENSOR_NAMES_H
#define KOV_SENSOR_NAMES_H

#include "symbols/symbols.h"

#include <stdbool.h>

#define SENSOR_NAME_BYTES 24
#define SENSOR_NUMBERS 256 // as in user/sensor.h

// Returns false if the program does not name that one, or if there is no file (symbols is NULL).
bool sensor_name_find(const struct symbols *symbols, u64 number, char name[SENSOR_NAME_BYTES]);

#endif
