// SPDX-License-Identifier: MIT
// The sampling calls of orrery/sys.h.
#include <co/object.h>
#include <orrery/sys.h>
#include <pmu/manager.h>

s64 sys_sampling_start(const struct sys_sampling *sampling)
{
    return CO_CALL(struct pmu_manager, pmu_manager, start, sampling);
}

s64 sys_sampling_stop(s64 session)
{
    return CO_CALL(struct pmu_manager, pmu_manager, stop, session);
}

s64 sys_sampling_read(s64 session, u32 cpu, void *buffer, u64 bytes)
{
    return CO_CALL(struct pmu_manager, pmu_manager, read, session, cpu, buffer, bytes);
}

s64 sys_sampling_stat(s64 session, u32 cpu, struct sys_sampling_stat *stat)
{
    return CO_CALL(struct pmu_manager, pmu_manager, stat, session, cpu, stat);
}
