# SPDX-License-Identifier: MIT
# Work for samples: two objects of a process at 1:3, and system calls. Its tests sample and scan it.
PROGRAMS := work-objects test-monitor
DEPS := waiting
