// SPDX-License-Identifier: MIT
// Instruments blocks at their translation, by the plan in force.
#ifndef MODEL_TRANSLATE_H
#define MODEL_TRANSLATE_H

#include "qemu_plugin.h"

void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

#endif
