// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND } from "../src/base/time.ts";
import { Growth } from "../src/model/growth.ts";

test("a loss is an alarm while it grows, and ten seconds longer", () => {
  const growth = new Growth();
  const at = (seconds: number, lost: number): boolean => growth.note(lost, seconds * SECOND);
  assert.ok(!at(100, 500), "it was lost before anybody looked");
  assert.ok(!at(101, 500));
  assert.ok(at(102, 501));
  assert.ok(at(112, 501));
  assert.ok(!at(113, 501));
});

test("a count that begins anew has grown only by what it has", () => {
  const growth = new Growth();
  const at = (seconds: number, lost: number): boolean => growth.note(lost, seconds * SECOND);
  at(100, 500);
  assert.ok(!at(101, 0), "another session");
  assert.ok(at(102, 3));
  assert.ok(at(103, 1), "another one, which has lost already");
  assert.ok(!at(20, 0), "another boot");
});
