// SPDX-License-Identifier: MIT
// The image's list of workloads, and their parameters.
#ifndef WORKLOADS_REGISTRY_H
#define WORKLOADS_REGISTRY_H

#include <workloads/workload.h>

// Returns NULL past the last.
const struct workload *workload_at(u32 index);
// Parses "key=value,…" into values; others get their fallbacks. Returns 0, or E_INVAL with the
// reason in message.
int workload_parse(const struct workload *workload, const char *text,
                   struct workload_value values[WORKLOAD_PARAMS_MAX], char *message, u64 bytes);

#endif
