// SPDX-License-Identifier: MIT
// Commands of the model unit that the kernel does not need. The interrupt handler uses the CPU's
// slot, too, so each command runs with MSR[EE] off.
#include "model_commands.h"

#include <kernel/model_unit.h>
#include <kernel/softmask.h>
#include <string.h>

// A trap that never traps; the plugin sees it execute.
#define COMMAND(number) __asm__ volatile("twi 0,0,%0" ::"i"(MODEL_COMMAND | (number)) : "memory")

u64 model_write(u64 counter, u64 value)
{
    u64 msr = hard_mask();
    model_slot()->arguments[0] = counter;
    model_slot()->arguments[1] = value;
    COMMAND(MODEL_WRITE);
    u64 result = model_slot()->result;
    hard_mask_restore(msr);
    return result;
}

u64 model_totals(u64 totals[MODEL_EVENTS][2])
{
    u64 msr = hard_mask();
    COMMAND(MODEL_TOTALS);
    u64 result = model_slot()->result;
    if (result == MODEL_OK)
        memcpy(totals, model_slot()->totals, sizeof(model_slot()->totals));
    hard_mask_restore(msr);
    return result;
}

u64 model_nonsense(void)
{
    u64 msr = hard_mask();
    COMMAND(0x99);
    u64 result = model_slot()->result;
    hard_mask_restore(msr);
    return result;
}
