// SPDX-License-Identifier: MIT
// Heights that script needs grow with the browser's size of text, as those of style.css do.

/** Converts pixels at the usual size of text, 16 pixels, to pixels now. */
export const scaledPixels = (pixels: number): number =>
  Math.round(
    (pixels * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16,
  );
