// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Line, Socket, pauseAfter } from "../src/wire/socket.ts";
import { frame } from "./frames.mjs";

/** A WebSocket that a test plays. */
class PlayedLine implements Line {
  binaryType = "";
  sent: { type: string; [field: string]: unknown }[] = [];
  closed = false;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
  says(data: unknown): void {
    this.onmessage?.({ data } as never);
  }
}

function dialled() {
  const lines: PlayedLine[] = [];
  const heard: string[] = [];
  const socket = new Socket(
    () => {
      lines.push(new PlayedLine());
      return lines[lines.length - 1];
    },
    "secret",
    {
      welcome: (message) => heard.push(`welcome ${message.role}`),
      message: (message) => heard.push(message.type),
      frame: (one) => heard.push(`frame ${one.kind}`),
      lost: (tries, pause) => heard.push(`lost ${tries} ${pause}`),
      refused: (why) => heard.push(`refused ${why}`),
    },
  );
  return { socket, lines, heard };
}

const WELCOME = JSON.stringify({
  type: "welcome",
  version: 1,
  role: "observer",
  machines: [],
  credit: 1,
});

test("hello with the token is first; nothing else goes before welcome", () => {
  const { socket, lines } = dialled();
  assert.equal(socket.send({ type: "unwatch", id: 1 }), false);
  lines[0].onopen?.({} as never);
  assert.deepEqual(lines[0].sent, [{ type: "hello", token: "secret", version: 1 }]);
  assert.equal(socket.send({ type: "unwatch", id: 1 }), false);
  lines[0].says(WELCOME);
  assert.equal(socket.send({ type: "unwatch", id: 1 }), true);
  assert.equal(lines[0].sent.length, 2);
  socket.end();
});

test("all bytes that were taken come back as credit", () => {
  const { socket, lines, heard } = dialled();
  lines[0].says(WELCOME);
  const one = frame(
    "heat",
    1,
    Array.from({ length: 500 }, (_, i) => [i, 1, 1, 1]),
  );
  const odd = one.slice(0);
  new DataView(odd).setUint8(0, 99);
  let bytes = 0;
  for (let i = 0; i < 40; i++) {
    const data = i % 2 ? one : odd;
    lines[0].says(data);
    bytes += data.byteLength;
  }
  assert.equal(heard.filter((text) => text === "frame heat").length, 20);
  const credit = lines[0].sent
    .filter((message) => message.type === "credit")
    .reduce((sum, message) => sum + Number(message.bytes), 0);
  assert.ok(credit > bytes - 65_536 && credit <= bytes, `${credit} of ${bytes}`);
  socket.end();
});

test("a lost connection is tried again, with pauses that grow to a limit", () => {
  const waits: { run: () => void; pause: number }[] = [];
  const real = globalThis.setTimeout;
  globalThis.setTimeout = ((run: () => void, pause: number) => waits.push({ run, pause })) as never;
  try {
    const { socket, lines, heard } = dialled();
    for (let i = 0; i < 8; i++) {
      lines[i].onclose?.({} as never);
      assert.equal(waits.length, i + 1);
      assert.equal(lines.length, i + 1, "not before the pause is over");
      waits[i].run();
      assert.equal(lines.length, i + 2);
    }
    for (let i = 1; i < 8; i++) assert.ok(waits[i].pause >= waits[i - 1].pause);
    assert.equal(waits[7].pause, pauseAfter(100));
    lines[8].says(WELCOME);
    lines[8].onclose?.({} as never);
    assert.equal(heard[heard.length - 1], `lost 1 ${waits[0].pause}`);
    socket.end();
    lines[8].onclose?.({} as never);
    assert.equal(waits.length, 9, "who ended it does not come again");
  } finally {
    globalThis.setTimeout = real;
  }
});

test("a token that is refused is not tried again", () => {
  const { lines, heard } = dialled();
  lines[0].says(JSON.stringify({ type: "refused", message: "no" }));
  lines[0].onclose?.({} as never);
  assert.deepEqual(heard, ["refused no"]);
  assert.equal(lines.length, 1);
});

test("what is no message is left out", () => {
  const { socket, lines, heard } = dialled();
  lines[0].says(WELCOME);
  for (const odd of ["{", "null", "7", '"x"']) lines[0].says(odd);
  assert.deepEqual(heard.slice(1), []);
  socket.end();
});
