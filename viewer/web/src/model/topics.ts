// SPDX-License-Identifier: MIT
// Topics that are watched, each once for all who want the same, and what each has said so far.

import { type Signal, signal } from "@preact/signals";
import { Points } from "../wire/columns.ts";
import {
  type ClientMessage,
  FRAME_LEFT_OUT,
  FRAME_WHOLE,
  type Frame,
  type FrameMetrics,
  type FrameRanking,
  type FrameSlices,
  type FrameThreads,
  type WatchedMessage,
} from "../wire/messages.ts";
import { HeatTable, Tree } from "./tree.ts";

export type Subscription = {
  [Kind in WatchedMessage as Kind["kind"]]: Kind;
}[WatchedMessage["kind"]];

/** The page keeps so many of the newest characters of the console. */
const OUTPUT_MOST = 200_000;

export class Topic {
  /** Goes up with each change. A view that reads it is drawn again. */
  readonly version: Signal<number> = signal(0);
  readonly tree = new Tree();
  readonly #heat = new HeatTable();
  readonly #points = new Points();
  #metrics: FrameMetrics | undefined;
  #ranking: FrameRanking | undefined;
  slices: FrameSlices | undefined;
  threads: FrameThreads | undefined;
  output = "";
  data: unknown;
  /** Why the gateway says nothing here. */
  error = "";
  /** Frames left out because this browser was too slow for them. */
  leftOut = 0;
  complete = Number.NaN;
  users = 0;
  #decoder = new TextDecoder();

  constructor(
    readonly id: number,
    readonly machine: string,
    readonly subscription: Subscription,
  ) {}

  // A view that reads one of these is drawn again when there is more, even if another view watches
  // the topic. Who reads another field reads `version`, too.
  get points(): Points {
    this.version.value;
    return this.#points;
  }
  get heat(): HeatTable {
    this.version.value;
    return this.#heat;
  }
  get metrics(): FrameMetrics | undefined {
    this.version.value;
    return this.#metrics;
  }
  get ranking(): FrameRanking | undefined {
    this.version.value;
    return this.#ranking;
  }

  /** Draws each view again that watches the topic. */
  changed(): void {
    this.version.value++;
  }

  take(frame: Frame): void {
    if (frame.head.flags & FRAME_LEFT_OUT) this.leftOut++;
    if (!Number.isNaN(frame.head.complete)) this.complete = frame.head.complete;
    this.error = "";
    switch (frame.kind) {
      case "objects":
        this.tree.add(frame);
        break;
      case "heat":
        this.#heat.add(frame);
        break;
      case "metric":
      case "series":
        this.#points.add(frame);
        break;
      case "metrics":
        this.#metrics = frame;
        break;
      case "ranking":
        this.#ranking = frame;
        break;
      case "slices":
        this.slices = frame;
        break;
      case "threads":
        this.threads = frame;
        break;
      case "bytes":
        // The gateway tells all of it again for each browser that begins to watch.
        if (frame.head.flags & FRAME_WHOLE) {
          this.output = "";
          this.#decoder = new TextDecoder();
        }
        this.output = (this.output + this.#decoder.decode(frame.byte, { stream: true })).slice(
          -OUTPUT_MOST,
        );
        break;
    }
    this.changed();
  }

  /** Forgets all at another boot, because its time axis is another. */
  forget(): void {
    this.tree.clear();
    this.#heat.rows.clear();
    this.#points.length = 0;
    this.#metrics = undefined;
    this.#ranking = undefined;
    this.slices = undefined;
    this.threads = undefined;
    this.data = undefined;
    this.complete = Number.NaN;
    this.changed();
  }
}

export class Topics {
  readonly #byKey = new Map<string, Topic>();
  readonly #byId = new Map<number, Topic>();

  constructor(
    readonly send: (message: ClientMessage) => void,
    readonly nextId: () => number,
  ) {}

  open(machine: string, subscription: Subscription): Topic {
    const key = `${machine}\n${JSON.stringify(subscription)}`;
    let topic = this.#byKey.get(key);
    if (!topic) {
      topic = new Topic(this.nextId(), machine, subscription);
      this.#byKey.set(key, topic);
      this.#byId.set(topic.id, topic);
      this.#watch(topic);
    }
    topic.users++;
    return topic;
  }

  close(topic: Topic): void {
    if (--topic.users > 0) return;
    for (const [key, one] of this.#byKey) if (one === topic) this.#byKey.delete(key);
    this.#byId.delete(topic.id);
    this.send({ type: "unwatch", id: topic.id });
  }

  find(id: number): Topic | undefined {
    return this.#byId.get(id);
  }

  /** Watches again after a new connection. The console begins again with its history. */
  watchAgain(): void {
    for (const topic of this.#byId.values()) {
      topic.output = "";
      this.#watch(topic);
    }
  }

  forget(machine: string): void {
    for (const topic of this.#byId.values()) if (topic.machine === machine) topic.forget();
  }

  get size(): number {
    return this.#byId.size;
  }

  #watch(topic: Topic): void {
    this.send({ type: "watch", id: topic.id, machine: topic.machine, ...topic.subscription });
  }
}
