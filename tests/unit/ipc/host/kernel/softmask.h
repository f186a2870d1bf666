// SPDX-License-Identifier: MIT
// Nothing interrupts a test.
#ifndef TESTS_UNIT_IPC_SOFTMASK_H
#define TESTS_UNIT_IPC_SOFTMASK_H

#include <orrery/types.h>

static inline u8 soft_mask(void)
{
    return 0;
}

static inline void soft_mask_restore(u8 before)
{
    (void)before;
}

#endif
