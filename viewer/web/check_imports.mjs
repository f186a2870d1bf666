// SPDX-License-Identifier: MIT
// Imports point one way: a file imports its own folder, and those before it in this table. Each
// file says its licence.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ARROWS = {
  base: [],
  wire: ["base"],
  model: ["base", "wire"],
  draw: ["base", "wire"],
  widgets: ["base", "draw"],
  views: ["base", "wire", "model", "draw", "widgets"],
  "": ["base", "wire", "model", "draw", "widgets", "views"],
};
/** Who may use what is not ours. */
const PACKAGES = {
  "@preact/signals": ["model", "views", ""],
  preact: ["widgets", "views", ""],
  "preact/hooks": ["widgets", "views"],
};

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src");
const files = readdirSync(source, { recursive: true, withFileTypes: false })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name));
const folderOf = (path) => (path.includes("/") ? path.split("/")[0] : "");

let wrong = 0;
const complain = (text) => {
  console.error(text);
  wrong++;
};

for (const file of files) {
  const folder = folderOf(file);
  const allowed = ARROWS[folder];
  if (!allowed) complain(`${file}: ${folder} is no folder of the table`);
  const text = readFileSync(join(source, file), "utf8");
  for (const [, name] of text.matchAll(/^(?:import|export|\}).*? from "([^"]+)";$/gm)) {
    if (!name.startsWith(".")) {
      if (!PACKAGES[name]?.includes(folder)) complain(`${file}: ${name} is not for ${folder}`);
      continue;
    }
    const target = folderOf(relative(source, resolve(dirname(join(source, file)), name)));
    if (target !== folder && !allowed?.includes(target))
      complain(`${file}: ${folder} does not import ${target}`);
  }
}

const GENERATED = "src/wire/messages.ts";
const ours = (folder) =>
  readdirSync(join(here, folder), { recursive: folder !== "." })
    .map((name) => join(folder, String(name)))
    .filter((name) => /\.(tsx?|mts|mjs|css|html|mk)$/.test(name) && name !== GENERATED);
for (const name of [...ours("."), ...ours("src"), ...ours("test")]) {
  const first = readFileSync(join(here, name), "utf8").split("\n", 2).join("\n");
  if (!first.includes("SPDX-License-Identifier: MIT")) complain(`${name}: no SPDX line`);
}
process.exit(wrong ? 1 : 0);
