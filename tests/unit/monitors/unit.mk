# SPDX-License-Identifier: MIT
UNIT += monitors_ring
monitors_ring_SRC := tests/unit/monitors/ring.c kernel/observe/monitors/ring.c
monitors_ring_INC := kernel/include kernel .

UNIT += monitors_tracks
monitors_tracks_SRC := tests/unit/monitors/tracks.c kernel/observe/monitors/tracks.c
monitors_tracks_INC := kernel/include kernel .
