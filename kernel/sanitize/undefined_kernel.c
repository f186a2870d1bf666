// SPDX-License-Identifier: MIT
// Undefined behaviour in the kernel: a report.
#include <kernel/panic.h>
#include <runtime/undefined.h>

#include "report.h"

void undefined_found(const struct undefined_location *where, const char *what)
{
    if (report_begin())
        panic("undefined behaviour: %s:%u:%u: %s", where->file, where->line, where->column, what);
}

void undefined_end(void)
{
    power_off(1);
}
