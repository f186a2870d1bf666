// SPDX-License-Identifier: MIT
// Tells how long page faults take, by access and result, and by the objects that handle them.
#ifndef KOV_TRACE_FAULTS_H
#define KOV_TRACE_FAULTS_H

#include "trace/trace_spans.h"

// Parts of the key.
#define TRACE_FAULTS_BY_RESULT 2
#define TRACE_FAULTS_BY_OBJECTS 4

extern const struct span_kind trace_faults;
extern const struct sheet trace_faults_sheets[];

#endif
