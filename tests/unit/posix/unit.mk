# SPDX-License-Identifier: MIT
# Paths and typed lines of the posix library.
UNIT += posix_path posix_line
posix_path_SRC := tests/unit/posix/path.c userlib/posix/path_text.c
posix_path_INC := userlib/posix
posix_line_SRC := tests/unit/posix/line.c userlib/posix/line.c
posix_line_INC := userlib/posix
