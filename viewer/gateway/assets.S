// SPDX-License-Identifier: MIT
// The files of the page, compressed with gzip (assets.c).
        .section .rodata

        .macro  asset name, file
        .global asset_\name, asset_\name\()_end
asset_\name:
        .incbin "\file"
asset_\name\()_end:
        .endm

        asset   index, "index.html.gz"
        asset   icon, "icon.svg.gz"
        asset   main, "main.js.gz"
        asset   style, "style.css.gz"

        .section .note.GNU-stack, "", @progbits
