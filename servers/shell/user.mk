# SPDX-License-Identifier: MIT
# The shell.
PROGRAM := sh
DEPS := ipc posix
SRC := arena.c builtins.c editor.c expand.c jobs.c launch.c main.c parse.c program.c run.c \
    terminal.c variables.c
