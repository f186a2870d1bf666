# SPDX-License-Identifier: MIT
# Faults that the tools of traces must find: servers that wait for each other, and polling.
PROGRAMS := deadlock poll
DEPS := waiting
