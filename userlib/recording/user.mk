# SPDX-License-Identifier: MIT
# Recordings of the trace in the machine: the folder, and the packets of processes.
LIBRARY := recording
SRC := folder.c processes.c
PUBLIC_INC := trace/include
