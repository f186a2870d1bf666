// SPDX-License-Identifier: MIT
// Texts of a machine are not trusted. They are cut. Hidden characters become codes or are left out.

const LONGEST = 256;

// Control characters, marks of direction, separators of lines, characters without width.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to show them as codes
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const code = (character: string): string =>
  `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;

/** Returns at most 256 characters, hidden ones as codes. Returns "" for what is no text. */
export function clean(text: unknown): string {
  if (typeof text !== "string") return "";
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  return cut.replace(HIDDEN, code);
}

/** Returns a text of several lines. Each stays a line; at most `most` characters in all. */
export const cleanLines = (text: unknown, most = 4096): string =>
  typeof text !== "string"
    ? ""
    : text.slice(0, most).replace(HIDDEN, (one) => (one === "\n" ? one : code(one)));

/** Returns console output. Lines stay lines; all other hidden characters are left out. */
export const cleanOutput = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "")
    .replace(HIDDEN, (character) => (character === "\n" || character === "\t" ? character : ""));

/** Returns lines of comma-separated values as RFC 4180 has them. */
export function csv(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string => {
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
    // Texts come from the machine. A leading = + - @ would be a formula in a spreadsheet.
    const safe = /^[=+\-@]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
