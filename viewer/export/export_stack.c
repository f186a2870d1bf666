// SPDX-License-Identifier: MIT
// Makes the stack of a sample, as exports write it.
#include "export/export.h"
#include "symbols/code.h"

#define KERNEL_ADDRESSES 0xc000000000000000u // the kernel's addresses begin here

static struct export_frame frame(const struct export *export, u64 address, u32 space)
{
    struct symbols *symbols = export->kernel;
    if (space != 0)
        symbols = program_symbols(export->programs, &export->recording->snapshot, space);
    return (struct export_frame){.address = address, .space = space, .symbols = symbols};
}

u32 export_stack(const struct export *export, const struct sample *sample,
                 struct export_frame frames[EXPORT_MAX_FRAMES])
{
    u32 space = sample_space(sample);
    frames[0] = frame(export, sample->pc, space);
    for (u32 i = 0; i < sample->caller_count; i++) {
        u64 address = sample->callers[i] - CODE_INSTRUCTION_BYTES;
        frames[i + 1] = frame(export, address, address < KERNEL_ADDRESSES ? sample->pid : space);
    }
    return sample->caller_count + 1;
}
