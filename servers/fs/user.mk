# SPDX-License-Identifier: MIT
PROGRAM := fs
SRC := $(patsubst servers/fs/%,%,$(wildcard servers/fs/*.c))
DEPS := cpio handles ipc posix objects user
FILES := etc/mounts=mounts
