// SPDX-License-Identifier: MIT
// Runs test/*.test.ts: bundled first, as node 18 reads no TypeScript.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const tests = readdirSync(join(here, "test"))
  .filter((name) => name.endsWith(".test.ts"))
  .filter(
    (name) => wanted.length === 0 || wanted.some((one) => name.includes(basename(one, ".test.ts"))),
  );
if (tests.length === 0) {
  console.error("there is no such test");
  process.exit(1);
}
const out = mkdtempSync(join(tmpdir(), "orrery-web-"));
await build({
  absWorkingDir: here,
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...files], {
  cwd: here,
  stdio: "inherit",
});
rmSync(out, { recursive: true });
process.exit(status ?? 1);
