// SPDX-License-Identifier: MIT
// The initial file system, from its archive into the tree.
#ifndef FS_INITIAL_H
#define FS_INITIAL_H

#include <orrery/process.h>

// archive: its bytes, which stay. memory: its memory object, or 0.
// An archive that is damaged is taken as far as it goes:
// *damaged. 0 or E_NOMEM. At the start, when the tree is there and before anybody else calls.
s64 initial_load(const u8 *archive, u64 bytes, cap_t memory, bool *damaged);

#endif
