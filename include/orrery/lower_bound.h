// SPDX-License-Identifier: MIT
// Binary search.
#ifndef ORRERY_LOWER_BOUND_H
#define ORRERY_LOWER_BOUND_H

#include <orrery/types.h>

// Returns the lowest index below `count` for which `before` is false, or count. `before` is an
// expression about `index`, a u64 that it may name. It holds for none or for the first ones, and
// for no other: the rows are sorted. It is evaluated at most 64 times.
//     u64 place = LOWER_BOUND(at, table->count, table->rows[at].id < id);
#define LOWER_BOUND(index, count, before)                                                          \
    __extension__({                                                                                \
        u64 lower_bound_ = 0;                                                                      \
        for (u64 above_ = (count); lower_bound_ < above_;) {                                       \
            u64 index = lower_bound_ + (above_ - lower_bound_) / 2;                                \
            if (before)                                                                            \
                lower_bound_ = index + 1;                                                          \
            else                                                                                   \
                above_ = index;                                                                    \
        }                                                                                          \
        lower_bound_;                                                                              \
    })

#endif
