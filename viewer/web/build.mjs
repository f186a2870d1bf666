// SPDX-License-Identifier: MIT
// Builds the page: node build.mjs OUT. Fails where it is larger than a page may be.

import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const BYTES_MOST = 120 * 1024;
const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../../build/web");

mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/main.tsx", "src/style.css"],
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  // light-dark() and all of ES2022.
  target: ["chrome123", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
for (const name of ["index.html", "icon.svg"])
  copyFileSync(join(here, "src", name), join(out, name));

const sizes = ["index.html", "icon.svg", "main.js", "style.css"].map(
  (name) => gzipSync(readFileSync(join(out, name)), { level: 9 }).length,
);
const bytes = sizes.reduce((sum, one) => sum + one, 0);
if (bytes > BYTES_MOST) {
  console.error(`the page has ${bytes} bytes compressed, ${BYTES_MOST} are allowed`);
  process.exit(1);
}
console.log(`${bytes} bytes compressed`);
