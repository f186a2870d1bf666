// SPDX-License-Identifier: MIT
// Finds a name by some of its letters, in order.

/** Returns how well `text` has the letters of `wanted`. Higher is better; undefined: not at all. */
export function score(wanted: string, text: string): number | undefined {
  const letters = wanted.toLowerCase().trim();
  const name = text.toLowerCase();
  if (letters === "") return 0;
  const whole = name.indexOf(letters);
  if (whole >= 0) return 1000 - whole - name.length / 1000;
  const found = follow(letters.replace(/\s+/g, ""), name);
  return found === undefined ? undefined : found - name.length / 1000;
}

const isBegin = (name: string, at: number): boolean => at === 0 || /[^a-z0-9]/.test(name[at - 1]);

// Each letter follows right after the one before, or begins a word. Other matches are chance.
function follow(letters: string, name: string): number | undefined {
  let sum = 0;
  let at = -1;
  for (const letter of letters) {
    if (at >= 0 && name[at + 1] === letter) {
      sum += 8;
      at++;
      continue;
    }
    do at = name.indexOf(letter, at + 1);
    while (at >= 0 && !isBegin(name, at));
    if (at < 0) return undefined;
    sum += 6;
  }
  return sum;
}

/** Returns the best `most` of `all`, best first. Equal ones keep their order. */
export function best<Item>(
  wanted: string,
  all: Iterable<Item>,
  name: (item: Item) => string,
  most: number,
): Item[] {
  const found: { item: Item; points: number; order: number }[] = [];
  let order = 0;
  for (const item of all) {
    const points = score(wanted, name(item));
    if (points !== undefined) found.push({ item, points, order: order++ });
  }
  found.sort((a, b) => b.points - a.points || a.order - b.order);
  return found.slice(0, most).map((one) => one.item);
}
