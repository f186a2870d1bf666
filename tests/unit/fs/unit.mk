# SPDX-License-Identifier: MIT
# The fs server's tree, files, pipes and handles, what it keeps on a disk, and the archive reader.
FS_UNIT_DIR := tests/unit/fs
FS_UNIT_SRC := $(FS_UNIT_DIR)/host/host.c $(filter-out %/main.c,$(wildcard servers/fs/*.c)) \
    userlib/handles/handles.c userlib/src/rights.c \
    userlib/cpio/cpio.c ipc/src/packet.c $(GEN)/ipc/fs_server.c $(CO_UNIT_SRC)
FS_UNIT_INC := $(FS_UNIT_DIR)/host servers/fs userlib/handles/include userlib/cpio/include \
    ipc/include userlib/include \
    $(CO_UNIT_INC)

UNIT += fs_directories fs_files fs_locks fs_names fs_handles fs_share fs_pipes fs_archive fs_store \
    fs_power
fs_directories_SRC := $(FS_UNIT_DIR)/directories.c $(FS_UNIT_DIR)/host/no_disk.c $(FS_UNIT_SRC)
fs_directories_INC := $(FS_UNIT_INC)
FS_UNIT_CALLS := $(FS_UNIT_DIR)/calls.c $(FS_UNIT_DIR)/host/no_disk.c $(FS_UNIT_SRC)
fs_files_SRC := $(FS_UNIT_DIR)/files.c $(FS_UNIT_CALLS)
fs_files_INC := $(FS_UNIT_INC)
fs_locks_SRC := $(FS_UNIT_DIR)/locks.c $(FS_UNIT_CALLS)
fs_locks_INC := $(FS_UNIT_INC)
fs_names_SRC := $(FS_UNIT_DIR)/names.c $(FS_UNIT_CALLS)
fs_names_INC := $(FS_UNIT_INC)
fs_handles_SRC := $(FS_UNIT_DIR)/handles.c $(FS_UNIT_CALLS)
fs_handles_INC := $(FS_UNIT_INC)
fs_share_SRC := $(FS_UNIT_DIR)/share.c $(FS_UNIT_CALLS)
fs_share_INC := $(FS_UNIT_INC)
fs_pipes_SRC := $(FS_UNIT_DIR)/pipes.c $(FS_UNIT_DIR)/host/no_disk.c $(FS_UNIT_SRC)
fs_pipes_INC := $(FS_UNIT_INC)
fs_store_SRC := $(FS_UNIT_DIR)/store.c $(FS_UNIT_SRC)
fs_store_INC := $(FS_UNIT_INC)
fs_power_SRC := $(FS_UNIT_DIR)/power.c $(wildcard $(FS_UNIT_DIR)/power/*.c) $(FS_UNIT_SRC)
fs_power_INC := $(FS_UNIT_DIR)/power tests/guest/user/power-writer $(FS_UNIT_INC)
fs_archive_SRC := $(FS_UNIT_DIR)/archive.c userlib/cpio/cpio.c
fs_archive_INC := userlib/cpio/include
unit-ready: $(IPC_GEN)

fs_store_LONG := 1
fs_power_LONG := 1
