# SPDX-License-Identifier: MIT
UNIT += shell_parse
shell_parse_SRC := tests/unit/shell/parse.c servers/shell/parse.c servers/shell/arena.c
shell_parse_INC := servers/shell

UNIT += shell_expand
shell_expand_SRC := tests/unit/shell/expand.c servers/shell/expand.c servers/shell/parse.c \
    servers/shell/arena.c
shell_expand_INC := servers/shell

UNIT += shell_editor
shell_editor_SRC := tests/unit/shell/editor.c servers/shell/editor.c
shell_editor_INC := servers/shell
