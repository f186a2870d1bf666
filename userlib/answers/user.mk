# SPDX-License-Identifier: MIT
# What processes answer the monitor, checked: for whoever asks.
LIBRARY := answers
SRC := answers.c
