# SPDX-License-Identifier: MIT
# The logs for schedulers: errors, exact counts, hostile and unlucky owners. Master and children are
# one program.
PROGRAM := test-logs
SRC := main.c areas.c refusals.c counts.c passing.c same.c services.c pages.c reading.c example.c \
    hardware.c monitored.c speed.c storm.c owners.c
DEPS := expect waiting log
