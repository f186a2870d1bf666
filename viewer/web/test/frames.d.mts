// SPDX-License-Identifier: MIT
export const FRAMES: Record<string, [kind: number, layout: string]>;
export function frame(
  name: string,
  topic: number,
  rows: readonly (readonly number[])[],
  options?: { whole?: boolean; leftOut?: boolean; complete?: number },
): ArrayBuffer;
