# SPDX-License-Identifier: MIT
# The small commands: one source each, and what they share.
PROGRAMS := cat cmp cp date echo env false free grep head kill logs ls mkdir monitor mount mv \
    netperf poweroff ps rm sleep sort sync tcp trace true uname \
    uptime wc
SRC := common.c internet.c
DEPS := socket log recording
