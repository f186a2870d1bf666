# SPDX-License-Identifier: MIT
# Faults that the tools of traces must find: servers that wait for each other, threads that
# take two locks in opposite order, polling, a lock that is held long, and waits of each kind.
PROGRAMS := crossed deadlock held poll waits
DEPS := waiting
