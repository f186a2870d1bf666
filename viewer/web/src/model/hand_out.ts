// SPDX-License-Identifier: MIT
// What leaves the page: text to the clipboard, files to the disk. It sends nothing anywhere.

import { addNotice } from "./store.ts";

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    addNotice(`Copied: ${what}`, 1, false);
  } catch {
    addNotice(`The browser does not let this page copy. It is: ${text}`);
  }
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(text: string, name: string): void {
  saveBlob(new Blob([text], { type: "text/csv" }), name);
  addNotice(`Saved: ${name}`, 1, false);
}

export function saveImage(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob) saveBlob(blob, name);
  });
}
