# SPDX-License-Identifier: MIT
# The reader of log files.
LIBRARY := log
SRC := reader.c
