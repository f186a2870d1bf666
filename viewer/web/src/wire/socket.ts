// SPDX-License-Identifier: MIT
// The connection to the gateway. It says hello first, gives credit for what it took, and connects
// again after a loss, with growing pauses. It hands on what comes; the model knows what it means.

import {
  type ClientMessage,
  type Frame,
  type GatewayMessage,
  type GatewayWelcome,
  decodeFrame,
} from "./messages.ts";

export const PROTOCOL = "orrery";
export const VERSION = 1;
const PAUSE_FIRST_MS = 250;
const PAUSE_LONGEST_MS = 1000;

/** So many bytes of credit go back in one message, not one message for each frame. */
const CREDIT_PORTION = 65536;

export interface SocketEvents {
  welcome(message: GatewayWelcome): void;
  message(message: GatewayMessage): void;
  frame(frame: Frame): void;
  /** There is no connection. The next try is in so many milliseconds. */
  lost(tries: number, pause: number): void;
  /** The gateway refuses this token. The socket does not try again. */
  refused(why: string): void;
}

/** The part of a WebSocket that `Socket` needs. Tests play it. */
export interface Line {
  binaryType: string;
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
}

export type Dial = () => Line;

export const pauseAfter = (tries: number): number =>
  Math.min(PAUSE_LONGEST_MS, PAUSE_FIRST_MS * 2 ** Math.max(0, tries - 1));

export class Socket {
  #line: Line | undefined;
  #welcomed = false;
  #ended = false;
  #tries = 0;
  #taken = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #dial: Dial;
  readonly #token: string;
  readonly #events: SocketEvents;

  constructor(dial: Dial, token: string, events: SocketEvents) {
    this.#dial = dial;
    this.#token = token;
    this.#events = events;
    this.#connect();
  }

  /** Sends a message. Returns false without a connection; the message is then not kept. */
  send(message: ClientMessage): boolean {
    if (!this.#welcomed || this.#line === undefined) return false;
    this.#line.send(JSON.stringify(message));
    return true;
  }

  /** Tries now, without the rest of the pause. */
  retry(): void {
    if (this.#ended || this.#line !== undefined) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#line?.close();
  }

  #connect(): void {
    const line = this.#dial();
    line.binaryType = "arraybuffer";
    this.#line = line;
    this.#welcomed = false;
    this.#taken = 0;
    line.onopen = () =>
      line.send(JSON.stringify({ type: "hello", token: this.#token, version: VERSION }));
    line.onmessage = ((event: { data: unknown }) => this.#take(event.data)) as Line["onmessage"];
    line.onclose = () => this.#closed(line);
  }

  #closed(line: Line): void {
    if (this.#line !== line) return;
    this.#line = undefined;
    this.#welcomed = false;
    if (this.#ended) return;
    const pause = pauseAfter(++this.#tries);
    this.#timer = setTimeout(() => this.#connect(), pause);
    this.#events.lost(this.#tries, pause);
  }

  #take(data: unknown): void {
    if (data instanceof ArrayBuffer) this.#takeFrame(data);
    else if (typeof data === "string") this.#takeText(data);
  }

  #takeFrame(data: ArrayBuffer): void {
    const frame = decodeFrame(data);
    if (frame) this.#events.frame(frame);
    // A frame of a later version is taken too, or credit would run out.
    this.#taken += data.byteLength;
    if (this.#taken >= CREDIT_PORTION && this.send({ type: "credit", bytes: this.#taken }))
      this.#taken = 0;
  }

  #takeText(text: string): void {
    let message: GatewayMessage;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof message !== "object" || message === null) return;
    if (message.type === "welcome") {
      this.#welcomed = true;
      this.#tries = 0;
      this.#events.welcome(message);
    } else if (message.type === "refused") {
      this.#ended = true;
      this.#events.refused(message.message);
    } else this.#events.message(message);
  }
}
