# SPDX-License-Identifier: MIT
# Faults that the tools of traces must find: servers that wait for each other, polling, and a
# lock that is held long.
PROGRAMS := deadlock held poll
DEPS := waiting
