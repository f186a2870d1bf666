// SPDX-License-Identifier: MIT
// Objects that are there to be seen.
#ifndef SUBJECTS_KNOWN_H
#define SUBJECTS_KNOWN_H

#include <co/object.h>

// An object of the class Kept(KeptObject) or Churned(ChurnedObject),
// or a negative error. co_destroy ends it.
s64 kept_create(void);
s64 churned_create(void);
// A method of either: counts and returns its calls so far, or an error.
s64 known_call(coid_t coid);

#endif
