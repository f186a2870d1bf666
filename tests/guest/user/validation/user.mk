# SPDX-License-Identifier: MIT
# The first process of `make run ONESHOT=1`: the programs that validate what the
# monitor sees of processes.
PROGRAM := validation
SRC := main.c
