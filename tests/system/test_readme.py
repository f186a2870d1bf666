# SPDX-License-Identifier: MIT
"""The README's kov commands work."""

import readme_commands


def test_every_command_works(boot, tmp_path):
    readme_commands.check_all(boot(cpus=2, pmu="model").wait_ready(), tmp_path)
