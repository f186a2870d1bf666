// SPDX-License-Identifier: MIT
// The colours of style.css, for canvases.

const NAMES = [
  "ground",
  "line",
  "text",
  "dim",
  "accent",
  "lost",
  "blocked",
  "ready",
  "run-user",
  "run-kernel",
  "run-call",
  "run-fault",
  "series-1",
  "series-2",
  "series-3",
  "series-4",
  "series-5",
  "series-6",
  "series-7",
  "series-8",
] as const;

export type ColourName = (typeof NAMES)[number];
export type Theme = Record<ColourName, string>;

export const SERIES: readonly ColourName[] = NAMES.filter((one) => one.startsWith("series"));

let known: Theme | undefined;

/** Asks the browser for the current custom properties. */
export function readTheme(): Theme {
  if (known) return known;
  const probe = document.createElement("span");
  document.body.append(probe);
  known = {} as Theme;
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    known[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return known;
}

/** Forgets the colours. Call it after the theme has changed. */
export function forgetTheme(): void {
  known = undefined;
}
