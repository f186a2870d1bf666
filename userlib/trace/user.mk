# SPDX-License-Identifier: MIT
# Tracing of a process: the same sources as the kernel's, on the thread library.
LIBRARY := trace
SRC := platform.c user.c
ROOT_SRC := $(addprefix trace/src/,append.c mask.c read.c ring.c ring_create.c sequence.S)
ROOT_INC := clustered-objects/include userlib/objects
PUBLIC_INC := trace/include
WHOLE := yes
