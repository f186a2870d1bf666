# SPDX-License-Identifier: MIT
# Headers that every module may use: types, errors, the r13 layout, the calls for servers.
MODULE := orrery
KERNEL_SRC :=
