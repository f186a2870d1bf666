# SPDX-License-Identifier: MIT
# What docs/why-slow.md finds slow, and mends.
PROGRAMS := diary
