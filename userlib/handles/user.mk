# SPDX-License-Identifier: MIT
# Handles by which clients name what a server keeps for them.
LIBRARY := handles
SRC := handles.c sweep.c
