# SPDX-License-Identifier: MIT
# Costs of the thread library: lines "BENCH name value unit".
PROGRAM := bench-user
SRC := main.c
DEPS := profiles
ROOT_INC := tests/guest/user/told
