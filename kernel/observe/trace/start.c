// SPDX-License-Identifier: MIT
// Starts tracing as boot options say.
#include <kernel/options.h>
#include <kernel/startup.h>
#include <trace/control.h>
#include <trace/dump.h>
#include <trace/metadata.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>

#include "manager.h"
#include "places.h"

int trace_init(void)
{
    return trace_init_cpu(0);
}

int trace_init_cpu(u32 number)
{
    struct trace_cpu *cpu = trace_platform_cpu(number);
    enum sys_trace_mode mode = boot_options.trace_discard ? SYS_TRACE_DISCARD : SYS_TRACE_OVERWRITE;
    int error = trace_ring_create(cpu, number, boot_options.trace_subbuffers, mode);
    if (error == 0)
        trace_dump_add(number, cpu);
    return error;
}

int trace_start_services(void)
{
    trace_metadata_init(); // before the first packet; it has the number of CPUs
    int error = trace_manager_create();
    trace_places_tell();
    return error != 0 ? error : trace_set_mask(boot_options.trace_mask);
}
