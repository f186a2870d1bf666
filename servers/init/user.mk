# SPDX-License-Identifier: MIT
PROGRAM := init
SRC := $(patsubst servers/init/%,%,$(wildcard servers/init/*.c))
DEPS := cpio ipc posix objects user
FILES := etc/manifest=manifest
