// SPDX-License-Identifier: MIT
// Kernel services: clustered objects that live from boot on, children of the Kernel object.
#ifndef KERNEL_PROC_SERVICES_H
#define KERNEL_PROC_SERVICES_H

#include <co/object.h>

// Creates a service of a class: shared when rep is given, else distributed. Panics on failure,
// which at boot can only be lack of memory. Boot CPU, set-up.
coid_t service_create(struct co_class *class, struct co_root *root, struct co_rep *rep);

#endif
