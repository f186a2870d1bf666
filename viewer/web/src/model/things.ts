// SPDX-License-Identifier: MIT
// The things of a machine by number: machine, CPUs, processes, objects, classes, functions.

import { clean } from "../base/text.ts";
import type { GatewayNames } from "../wire/messages.ts";

export type ThingKind =
  | "machine"
  | "cpu"
  | "process"
  | "object"
  | "class"
  | "function"
  | "code"
  | "idle"
  | "other";

export interface Thing {
  number: number;
  /** The key, as in the URL: m, c:CPU, p:PID, o:PID:COID, k:CLASS, f:PID:SYMBOL, n:PID, i. */
  key: string;
  kind: ThingKind;
  label: string;
  /** An object's class without the implementation. */
  className: string;
  implementation: string;
  pid: number | undefined;
  coid: string;
}

const KINDS: Record<string, ThingKind> = {
  m: "machine",
  c: "cpu",
  p: "process",
  o: "object",
  k: "class",
  f: "function",
  n: "code",
  i: "idle",
};

/** Returns what a key alone says. A link may come before the names do. */
export function parseKey(key: string): Pick<Thing, "kind" | "pid" | "coid" | "className"> {
  const [letter, ...rest] = key.split(":");
  const kind = KINDS[letter] ?? "other";
  const pid = /^\d+$/.test(rest[0] ?? "") ? Number(rest[0]) : undefined;
  return {
    kind,
    pid: ["process", "object", "function", "code"].includes(kind) ? pid : undefined,
    coid: kind === "object" ? hex(clean(rest.slice(1).join(":"))) : "",
    className: kind === "class" ? clean(rest.join(":")) : "",
  };
}

const hex = (coid: string): string => (/^[0-9a-f]+$/i.test(coid) ? `0x${coid}` : coid);

/** Splits Class(implementation), as kov writes it. */
export function splitClass(text: string): [name: string, implementation: string] {
  const found = /^(.*?)\((.*)\)$/.exec(text);
  return found ? [found[1], found[2]] : [text, ""];
}

/** Returns the class of an object as the gateway names it. */
export const classKey = (thing: Pick<Thing, "className" | "implementation">): string =>
  thing.implementation ? `k:${thing.className}(${thing.implementation})` : `k:${thing.className}`;

export class Things {
  #byNumber: (Thing | undefined)[] = [];
  #byKey = new Map<string, Thing>();
  #strings: string[] = [];

  /** Adds names. Numbers that begin again are of other things. */
  add(names: GatewayNames): void {
    if (names.first === 1 && names.first_string === 1) {
      this.#byNumber = [];
      this.#byKey = new Map();
      this.#strings = [];
    }
    names.strings?.forEach((text, i) => {
      this.#strings[names.first_string + i] = clean(text);
    });
    names.things?.forEach((row, i) => {
      if (Array.isArray(row)) this.#addOne(names.first + i, row);
    });
  }

  #addOne(number: number, [key, label, className]: unknown[]): void {
    if (typeof key !== "string") return;
    const parsed = parseKey(key);
    const text = typeof className === "number" ? this.string(className) : clean(className);
    const [name, implementation] = splitClass(text || parsed.className);
    const thing: Thing = {
      ...parsed,
      number,
      key,
      // kov writes NAME:PID.
      label: clean(label).replace(parsed.kind === "process" ? `:${parsed.pid}` : "", ""),
      className: name,
      implementation,
    };
    this.#byNumber[number] = thing;
    this.#byKey.set(key, thing);
  }

  get(number: number): Thing | undefined {
    return this.#byNumber[number];
  }

  find(key: string): Thing | undefined {
    return this.#byKey.get(key);
  }

  string(number: number): string {
    return this.#strings[number] ?? "";
  }

  all(): Iterable<Thing> {
    return this.#byKey.values();
  }

  /** Returns the name of a process, or its number. */
  processName(pid: number | undefined): string {
    if (pid === undefined) return "";
    const name = this.#byKey.get(`p:${pid}`)?.label;
    return name || (pid === 0 ? "kernel" : `process ${pid}`);
  }

  /** Returns a name for people: "ContendedObject 0x12550", "net", "CPU 1". */
  name(key: string): string {
    const thing = this.#byKey.get(key) ?? { ...parseKey(key), key, label: "", implementation: "" };
    return nameOf(thing);
  }
}

export function nameOf(
  thing: Pick<Thing, "kind" | "label" | "className" | "coid" | "pid" | "key">,
): string {
  switch (thing.kind) {
    case "object":
      return thing.className ? `${thing.className} ${thing.coid}` : thing.label || thing.coid;
    case "machine":
      return thing.label || "machine";
    case "process":
      return thing.label || (thing.pid === 0 ? "kernel" : `process ${thing.pid}`);
    case "class":
      return thing.label || thing.className;
    case "cpu":
      return thing.label || `CPU ${thing.key.slice(2)}`;
    default:
      return thing.label || clean(thing.key);
  }
}
