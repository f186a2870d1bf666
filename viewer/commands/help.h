// SPDX-License-Identifier: MIT
// Help texts, made from the tables of commands and options.
#ifndef KOV_HELP_H
#define KOV_HELP_H

#include "tools/kov.h"

void help_overview(FILE *out);
int help_command(FILE *out, const struct command *command); // KOV_OK

#endif
