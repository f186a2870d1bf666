# SPDX-License-Identifier: MIT
# Tracing of a process: the same sources as the kernel's, on the thread library.
LIBRARY := tracing
SRC := platform.c user.c
ROOT_SRC := $(addprefix trace/src/,append.c mask.c read.c ring.c ring_create.c sequence.S)
PUBLIC_INC := trace/include
DEPS := objects
WHOLE := yes
