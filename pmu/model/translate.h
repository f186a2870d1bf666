// SPDX-License-Identifier: MIT
// Instruments blocks as they are translated, as the plan in force says.
#ifndef MODEL_TRANSLATE_H
#define MODEL_TRANSLATE_H

#include "qemu_plugin.h"

void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

#endif
