# SPDX-License-Identifier: MIT
# Processes that answer the inspection's questions with lies, or not at all. Programs of tests.
PROGRAM := liars
SRC := main.c answers.c
ROOT_INC := userlib/src
