// SPDX-License-Identifier: MIT
// What a link says, read and written in this file alone:
// /#/objects?m=orrery@3f2a&r=live:10&e=larx&s=o:0:12550&f=not.p:5&pin=mt:IPC&b=12.5..22.5
//   &mark=31..33.5:first run&w=31.0005..31.0007&v=1

import { clean } from "../base/text.ts";
import { SECOND } from "../base/time.ts";
import type { Chip } from "./filter.ts";
import type { OwnMark, Pin, Range } from "./store.ts";
import { isView, RANKED_BY, type RankedBy, type ViewName } from "./views.ts";

const VERSION = "1";

export interface Place {
  view: ViewName;
  machine: string;
  boot: string;
  range: Range;
  measure: string;
  selection: string;
  /** Of the selection. */
  function?: string;
  rankedBy?: RankedBy;
  chips: readonly Chip[];
  pins: readonly Pin[];
  marks: readonly OwnMark[];
  baseline: { from: number; to: number } | undefined;
  /** What the Timeline is zoomed to. */
  window?: { from: number; to: number };
}

const RANGE = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/;

function readInterval(text: string | null): { from: number; to: number } | undefined {
  const found = RANGE.exec(text ?? "");
  if (!found) return undefined;
  const [from, to] = found.slice(1).map((one) => Math.round(Number(one) * SECOND));
  const interval = { from, to };
  return interval.to > interval.from ? interval : undefined;
}

function readRange(text: string | null): Range | undefined {
  const live = /^live:(\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (live) return Number(live[1]) > 0 ? { live: Number(live[1]) } : undefined;
  return readInterval(text);
}

/** What is shorter than a second is written to the nanosecond. */
function writeInterval(one: { from: number; to: number }): string {
  const decimals = one.to - one.from < SECOND ? 9 : 3;
  const seconds = (time: number): string => String(Number((time / SECOND).toFixed(decimals)));
  const plain = (time: number): string =>
    seconds(time).includes("e") ? (time / SECOND).toFixed(decimals) : seconds(time);
  return `${plain(one.from)}..${plain(one.to)}`;
}
const writeRange = (range: Range): string =>
  "live" in range ? `live:${range.live}` : writeInterval(range);

function readChip(text: string): Chip | undefined {
  const found = /^(not|only)\.(.+)$/.exec(text);
  return found ? { not: found[1] === "not", any: found[2].split("|") } : undefined;
}

/** Reads mt:METRIC or ev:MEASURE, then @ and the thing; without @ it is the machine. */
function readPin(text: string): Pin | undefined {
  const found = /^(mt|ev):([^@]+)(?:@(.+))?$/.exec(text);
  if (!found) return undefined;
  return { kind: found[1] === "mt" ? "metric" : "series", name: found[2], of: found[3] ?? "m" };
}

const writePin = (pin: Pin): string =>
  `${pin.kind === "metric" ? "mt" : "ev"}:${pin.name}${pin.of === "m" ? "" : `@${pin.of}`}`;

/** Reads FROM..TO:NAME. */
function readMark(text: string): OwnMark | undefined {
  const found = /^([^:]+):(.+)$/.exec(text);
  const interval = readInterval(found?.[1] ?? "");
  return found && interval ? { ...interval, name: clean(found[2]) } : undefined;
}

const isThere = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Reads the part of a link after #. What it does not say, or says wrongly, is missing. */
export function readPlace(hash: string): Partial<Place> {
  const found = /^#?\/([a-z]*)(?:\?(.*))?$/.exec(hash);
  if (!found) return {};
  const place: Partial<Place> = {};
  if (isView(found[1])) place.view = found[1];
  const query = new URLSearchParams(found[2] ?? "");
  if ((query.get("v") ?? VERSION) !== VERSION) return place;
  const [machine, boot] = (query.get("m") ?? "").split("@");
  if (machine) place.machine = machine;
  if (boot) place.boot = boot;
  const range = readRange(query.get("r"));
  if (range) place.range = range;
  const measure = query.get("e");
  if (measure) place.measure = measure;
  const selection = query.get("s");
  if (selection) place.selection = selection;
  const name = clean(query.get("fn"));
  if (name) place.function = name;
  const ranked = RANKED_BY.find((one) => one.by === query.get("by"));
  if (ranked) place.rankedBy = ranked.by;
  place.chips = query.getAll("f").map(readChip).filter(isThere);
  place.pins = query.getAll("pin").map(readPin).filter(isThere);
  place.marks = query.getAll("mark").map(readMark).filter(isThere);
  place.baseline = readInterval(query.get("b"));
  const window = readInterval(query.get("w"));
  if (window) place.window = window;
  return place;
}

// URLSearchParams writes : @ | as codes. They are allowed there, and codes are hard to read.
const quote = (text: string): string =>
  encodeURIComponent(text).replace(/%(3A|40|2C|2F)/g, (code) => decodeURIComponent(code));

export function writePlace(place: Place): string {
  const parts: [string, string][] = [];
  if (place.machine)
    parts.push(["m", place.boot ? `${place.machine}@${place.boot}` : place.machine]);
  parts.push(["r", writeRange(place.range)]);
  if (place.measure) parts.push(["e", place.measure]);
  if (place.selection) parts.push(["s", place.selection]);
  if (place.function) parts.push(["fn", place.function]);
  if (place.rankedBy && place.rankedBy !== RANKED_BY[0].by) parts.push(["by", place.rankedBy]);
  for (const chip of place.chips)
    parts.push(["f", `${chip.not ? "not" : "only"}.${chip.any.join("|")}`]);
  for (const pin of place.pins) parts.push(["pin", writePin(pin)]);
  if (place.baseline) parts.push(["b", writeInterval(place.baseline)]);
  if (place.window) parts.push(["w", writeInterval(place.window)]);
  for (const mark of place.marks) parts.push(["mark", `${writeInterval(mark)}:${mark.name}`]);
  parts.push(["v", VERSION]);
  return `#/${place.view}?${parts.map(([name, text]) => `${name}=${quote(text)}`).join("&")}`;
}

/** Returns the token of the link that `kov serve` prints, /#t=TOKEN. */
export const readToken = (hash: string): string | undefined =>
  /^#t=([0-9A-Za-z_-]+)$/.exec(hash)?.[1];
