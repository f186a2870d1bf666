# SPDX-License-Identifier: MIT
# Clustered objects of a process: the same sources as the kernel's, on the thread library.
LIBRARY := objects
SRC := patch.c platform.c service.c start.c
ROOT_SRC := clustered-objects/src/trampoline.S $(addprefix clustered-objects/src/,class.c \
    counter.c dref.c gtt.c ltt.c \
    manager.c miss.c object.c quiesce.c reap.c root_object.c scan.c)
ROOT_INC := trace/include
PUBLIC_INC := clustered-objects/include
WHOLE := yes
