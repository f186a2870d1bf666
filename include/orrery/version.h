// SPDX-License-Identifier: MIT
// The version of Orrery: kernel, images and kov. It stands nowhere else; CHANGELOG.md says what is
// in it. Protocols have numbers of their own (docs/protocol.md, orrery/pmu_model.h).
#ifndef ORRERY_VERSION_H
#define ORRERY_VERSION_H

#define ORRERY_VERSION "0.1"

#endif
