# SPDX-License-Identifier: MIT
# Files, limits and time for programs that no other library gives them: the console,
# and the time base.
LIBRARY := fallback
SRC := files.c limits.c time.c
