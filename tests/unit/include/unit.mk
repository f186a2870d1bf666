# SPDX-License-Identifier: MIT
UNIT += include_lower_bound
include_lower_bound_SRC := tests/unit/include/lower_bound.c
include_lower_bound_INC := tests/unit/viewer
