// SPDX-License-Identifier: MIT
// A panic is a defect: nothing that is analysed may come to one.
#ifndef TESTS_PROOFS_MODEL_PANIC_H
#define TESTS_PROOFS_MODEL_PANIC_H

#include <kernel/panic.h>

/*@ requires no_panic: \false;
    assigns \nothing; */
void panic(const char *format, ...);

#endif
