// SPDX-License-Identifier: MIT
// Heights that script needs grow with the browser's size of text, as those of style.css do.

/** Pixels at the usual size of text, 16 pixels, in pixels now. */
export const scaledPixels = (pixels: number): number =>
  Math.round(
    (pixels * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16,
  );
