# SPDX-License-Identifier: MIT
# The areas of logs, and the reader of their files.
LIBRARY := log
SRC := area.c reader.c
