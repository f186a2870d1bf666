# SPDX-License-Identifier: MIT
# Files, limits and time for programs that link nothing else for them: the console, and the time
# base.
LIBRARY := fallback
SRC := files.c limits.c time.c
