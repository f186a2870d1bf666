# SPDX-License-Identifier: MIT
UNIT += net_ring
net_ring_SRC := tests/unit/net/ring.c userlib/socket-memory/ring.c
net_ring_INC := userlib/socket-memory/include

UNIT += net_ring_race
net_ring_race_SRC := tests/unit/net/ring_race.c userlib/socket-memory/ring.c
net_ring_race_INC := userlib/socket-memory/include
net_ring_race_SANITIZERS := thread

UNIT += net_checksum
net_checksum_SRC := tests/unit/net/checksum.c servers/net/checksum.c
net_checksum_INC := servers/net/port/include
