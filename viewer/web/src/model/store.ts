// SPDX-License-Identifier: MIT
// What is chosen and what is known, as signals. Views show only what comes from here.

import { batch, computed, signal } from "@preact/signals";
import { clean } from "../base/text.ts";
import { type Interval, SECOND } from "../base/time.ts";
import type { GatewayMachine } from "../wire/messages.ts";
import { type Chip, MONITOR, NOT_MONITOR, sameChip, withMonitor } from "./filter.ts";
import { Growth } from "./growth.ts";
import { type Mark, readMarks, readStatus, type Status } from "./said.ts";
import { Things, parseKey } from "./things.ts";
import type { Place } from "./url.ts";
import { type RankedBy, RANKED_BY, type ViewName } from "./views.ts";

export type Range = { live: number } | Interval;
export interface Pin {
  kind: "metric" | "series";
  name: string;
  of: string;
}
/** An interval that the user has named here. */
export interface OwnMark extends Interval {
  name: string;
}
export interface Notice {
  text: string;
  count: number;
  warning: boolean;
}
export type Connection =
  | { phase: "token" | "connecting" | "open" }
  /** before: it was open once, and what it has told stays. */
  | { phase: "refused"; why: string; before: boolean }
  | { phase: "lost"; tries: number; again: number };
export type Dialog = "" | "palette" | "help" | "measure" | "range" | "mark";
export type Theme = "auto" | "dark" | "light";

export const PINS_MOST = 8;
export const MARKS_MOST = 8;
const NOTICES_MOST = 5;
const RANGE_FIRST: Range = { live: 10 };
export const SPAN_FIRST = 120;

// ---- the connection and its machines ------------------------------------------------------------

export const connection = signal<Connection>({ phase: "connecting" });
export const role = signal("");
export const machines = signal<readonly string[]>([]);
export const machine = signal("");
export const machineStates = signal<ReadonlyMap<string, GatewayMachine>>(new Map());
export const machineState = computed(() => machineStates.value.get(machine.value));
/** A recording: what was is shown, and nothing can be done. */
export const isPlayed = computed(() => machineState.value?.state === "played");
/** A trace folder: its Timeline has what the CPUs did. */
export const isTrace = computed(() => machineState.value?.trace === true);
/** Whether this page may change the machine, and there is one to be changed. */
export const mayAct = computed(
  () => role.value === "controller" && !isPlayed.value && machineState.value?.state !== "ended",
);
const whatItIs = (): string =>
  isTrace.value ? "trace" : isPlayed.value ? "recording" : "boot that has ended";
/** Why it may not. */
export const whyNoActs = computed(() =>
  role.value === "controller"
    ? `A ${whatItIs()}: nothing can be done to it.`
    : "This needs the controller's link.",
);
export const notices = signal<readonly Notice[]>([]);
/** Machines that there are; a boot before the present one is among them once there is one. */
export const shownMachines = computed(() =>
  machines.value.filter((name, i) => i === 0 || machineStates.value.has(name)),
);

/** A live machine says something each second. So many seconds without that, it does not answer. */
const SILENCE_LEAST = 2;
let heardAt = Date.now();
/** Seconds for which the machine has not answered; 0: it answers. */
export const silence = signal(0);

export function machineSpoke(): void {
  heardAt = Date.now();
  silence.value = 0;
}

/** Call it a few times a second. */
export function listen(time = Date.now()): void {
  const asked = connection.value.phase === "open" && machineState.value?.state === "live";
  if (!asked) machineSpoke();
  const seconds = Math.floor((time - heardAt) / 1000);
  silence.value = asked && seconds >= SILENCE_LEAST ? seconds : 0;
}

/** Whether the numbers are old: the gateway or the machine cannot be heard, or its boot is over. */
export const isStale = computed(
  () =>
    connection.value.phase !== "open" ||
    silence.value > 0 ||
    !["live", "played"].includes(machineState.value?.state ?? ""),
);

const allThings = new Map<string, Things>();
export const thingsVersion = signal(0);

export function thingsOf(name: string): Things {
  let things = allThings.get(name);
  if (!things) {
    things = new Things();
    allThings.set(name, things);
  }
  return things;
}

/** Names of the chosen machine. A view that reads them is drawn again when there are more. */
export const things = computed(() => {
  thingsVersion.value;
  return thingsOf(machine.value);
});

export function forgetThings(name: string): void {
  allThings.delete(name);
  thingsVersion.value++;
}

export function addNotice(text: string, count = 1, warning = true): void {
  const rest = notices.value.filter((one) => one.text !== clean(text));
  notices.value = [...rest, { text: clean(text), count, warning }].slice(-NOTICES_MOST);
}

export function dropNotice(notice: Notice): void {
  notices.value = notices.value.filter((one) => one !== notice);
}

// ---- what topics say that all views need --------------------------------------------------------

export const statusSaid = signal<unknown>(undefined);
export const status = computed<Status>(() => readStatus(statusSaid.value));
/** Which losses grow now. */
export const losing = signal({ samples: false, records: false, stacks: false });
const newGrowths = () => ({
  samples: new Growth(),
  records: new Growth(),
  stacks: new Growth(),
});
let growths = newGrowths();

export function takeStatus(said: unknown): void {
  statusSaid.value = said;
  const { lost, recording, stacksRefused, now } = status.value;
  losing.value = {
    samples: growths.samples.note(lost, now),
    records: growths.records.note(recording.lost, now),
    stacks: growths.stacks.note(stacksRefused, now),
  };
}

function forgetStatus(): void {
  statusSaid.value = undefined;
  growths = newGrowths();
}

export const marksSaid = signal<unknown>(undefined);
export const ownMarks = signal<readonly OwnMark[]>([]);
export const marks = computed<readonly Mark[]>(() => [
  ...readMarks(marksSaid.value),
  ...ownMarks.value.map((one) => ({ ...one, begin: one.from, end: one.to, kind: "own" })),
]);
/** The newest known time of the machine. */
export const now = computed(() => status.value.now);

// ---- what is chosen -----------------------------------------------------------------------------

export const view = signal<ViewName>("objects");
/** A link has named a view, or one was chosen for a trace. */
let viewNamed = false;
export const range = signal<Range>(RANGE_FIRST);
/** Undefined: the strip goes along with the machine and ends now. */
export const axis = signal<Interval | undefined>(undefined);
export const axisSpan = signal(SPAN_FIRST);
const chosenMeasure = signal("");
export const selection = signal("");
/** What the Ranking is of. */
export const rankedBy = signal<RankedBy>(RANKED_BY[0].by);
const functionOfThing = signal({ name: "", of: "" });
/** The function of the selection, "kernel:panic", whose callers and lines are shown; "": none. */
export const chosenFunction = computed(() => {
  const { name, of } = functionOfThing.value;
  return of !== "" && of === selection.value ? name : "";
});
/** A slice of the Timeline: what is at a time in a line (lines.ts). */
export interface ChosenSlice {
  line: string;
  time: number;
  /** Its ends, once it was seen by itself and not in a group. */
  from?: number;
  to?: number;
  /** The picture zooms in until it can be seen by itself. */
  seeks?: boolean;
}
export const slice = signal<ChosenSlice | undefined>(undefined);
/** What the Timeline of a trace is zoomed to (window.ts). */
export const zoomed = signal<{ machine: string; interval: Interval } | undefined>(undefined);
export const chips = signal<readonly Chip[]>([]);
export const pins = signal<readonly Pin[]>([]);
export const baseline = signal<Interval | undefined>(undefined);

/** The processes of the monitor itself, those that have ended too, as one text. */
const monitorKeys = computed(() =>
  status.value.watching.parts
    .filter((one) => Number.isInteger(one.pid))
    .map((one) => `p:${one.pid}`)
    .join(" "),
);
/** The filter, by things that there are. */
export const shownChips = computed(() =>
  withMonitor(chips.value, monitorKeys.value.split(" ").filter(Boolean)),
);

export const isLive = computed(() => "live" in range.value);

/** An idle machine has samples of them, too. */
const RUN_CYCLES = "run-cycles";

/** What is counted: the chosen one, else run cycles if they are sampled, else the first that is. */
export const measure = computed(() => {
  if (chosenMeasure.value) return chosenMeasure.value;
  const events = status.value.events;
  return events.find((one) => one.name === RUN_CYCLES)?.name ?? events[0]?.name ?? "";
});

export const isSampled = (name: string): boolean =>
  status.value.events.some((one) => one.name === name);
/** Measures that need no sampling. */
export const COUNTED = ["drefs", "misses"];

export const rangeInterval = computed<Interval | undefined>(() => {
  const chosen = range.value;
  if (!("live" in chosen)) return chosen;
  return Number.isNaN(now.value)
    ? undefined
    : { from: Math.max(0, now.value - chosen.live * SECOND), to: now.value };
});

export const axisInterval = computed<Interval>(() => {
  if (axis.value) return axis.value;
  const to = Number.isNaN(now.value) ? axisSpan.value * SECOND : now.value;
  return { from: to - axisSpan.value * SECOND, to };
});

/** Returns the range as parameters of a topic. */
export const rangeSubscription = computed<{ seconds?: number; from?: number; to?: number }>(() => {
  const chosen = range.value;
  return "live" in chosen ? { seconds: chosen.live } : { from: chosen.from, to: chosen.to };
});

/** The time that all graphs point at: below the pointer, or where arrow keys have led. */
export const cursor = signal<number | undefined>(undefined);

// ---- how it is shown ----------------------------------------------------------------------------

export const stripOpen = signal(true);
export const inspectorOpen = signal(true);
/** Calls of a selected process are shown, and counted, which is work for the machine. */
export const callsOpen = signal(false);
export const showsCalls = computed(
  () => callsOpen.value && parseKey(selection.value).kind === "process",
);
export const asTable = signal(false);
export const theme = signal<Theme>("auto");
export const dialog = signal<Dialog>("");

/** What the shown view offers to take away: its numbers, its kov command. */
export const gives: {
  csv?: () => { name: string; text: string };
  image?: () => HTMLCanvasElement | undefined;
  kov?: () => string;
} = {};

// ---- changes ------------------------------------------------------------------------------------

export const chooseMeasure = (name: string): void => {
  chosenMeasure.value = name;
};

/** Chooses a function of a thing, which becomes the selection. */
export function chooseFunction(name: string, of = selection.value): void {
  batch(() => {
    selection.value = of;
    functionOfThing.value = { name, of };
  });
}

/** A trace has a Timeline alone: shows that, unless a link names another view. */
export function showTrace(): void {
  if (!isTrace.value || viewNamed) return;
  viewNamed = true;
  view.value = "timeline";
}

export function chooseMachine(name: string): void {
  if (name === machine.value) return;
  batch(() => {
    machine.value = name;
    if (isTrace.value) view.value = "timeline";
    machineSpoke();
    chooseFunction("", "");
    slice.value = undefined;
    baseline.value = undefined;
    ownMarks.value = [];
    chips.value = chips.value.filter(isOfEachMachine);
    range.value = RANGE_FIRST;
    axis.value = undefined;
    forgetStatus();
    marksSaid.value = undefined;
  });
}

/** What such a chip means, each machine and each boot has. */
const isOfEachMachine = (chip: Chip): boolean => chip.any.every((key) => key === MONITOR);

export const hidesMonitor = computed(() => chips.value.some((one) => sameChip(one, NOT_MONITOR)));

/** Hides the monitor's own processes, or shows them again. */
export function toggleMonitor(): void {
  chips.value = hidesMonitor.value
    ? chips.value.filter((one) => !sameChip(one, NOT_MONITOR))
    : [...chips.value, NOT_MONITOR];
}

export function addChip(chip: Chip): void {
  if (!chips.value.some((one) => sameChip(one, chip))) chips.value = [...chips.value, chip];
}

export function dropChip(chip: Chip): void {
  chips.value = chips.value.filter((one) => one !== chip);
}

const samePin = (a: Pin, b: Pin): boolean =>
  a.kind === b.kind && a.name === b.name && a.of === b.of;

export const isPinned = (pin: Pin): boolean => pins.value.some((one) => samePin(one, pin));

/** Pins, or takes the pin away. Returns false if the strip can hold no more. */
export function togglePin(pin: Pin): boolean {
  if (isPinned(pin)) pins.value = pins.value.filter((one) => !samePin(one, pin));
  else if (pins.value.length < PINS_MOST) pins.value = [...pins.value, pin];
  else return false;
  return true;
}

/** Names the range. Returns false if links can hold no more marks. */
export function addMark(name: string, interval: Interval): boolean {
  if (ownMarks.value.length >= MARKS_MOST) return false;
  ownMarks.value = [...ownMarks.value, { ...interval, name: clean(name) || "mark" }];
  return true;
}

/** Removes the marks of exactly this range. Returns false if it has none. */
export function dropMarks(): boolean {
  const range = rangeInterval.value;
  const kept = ownMarks.value.filter((one) => one.from !== range?.from || one.to !== range.to);
  const some = kept.length < ownMarks.value.length;
  ownMarks.value = kept;
  return some;
}

/** Holds the range where it is, or lets it go along again. */
export function hold(): void {
  const interval = rangeInterval.value;
  batch(() => {
    if (isLive.value && interval) {
      range.value = interval;
      axis.value = axisInterval.value;
    } else {
      range.value = RANGE_FIRST;
      axis.value = undefined;
    }
  });
}

/** Goes one step back: a dialog, baseline, function, selection, range. Never a filter. */
export function stepBack(): void {
  if (dialog.value) dialog.value = "";
  else if (baseline.value) baseline.value = undefined;
  else if (chosenFunction.value) chooseFunction("");
  else if (slice.value) slice.value = undefined;
  else if (selection.value) selection.value = "";
  else if (!isLive.value || axis.value) {
    range.value = RANGE_FIRST;
    axis.value = undefined;
  }
}

/** Zooms the strip around `at`. A factor above 1 shows more. */
export function zoomAxis(factor: number, at?: number): void {
  const shown = axisInterval.value;
  const length = shown.to - shown.from;
  const wanted = Math.min(Math.max(length * factor, 5 * SECOND), 86400 * SECOND);
  if (!axis.value) axisSpan.value = wanted / SECOND;
  else {
    const fix = at ?? (shown.from + shown.to) / 2;
    const from = fix - ((fix - shown.from) / length) * wanted;
    axis.value = { from, to: from + wanted };
  }
}

/** Moves the strip by a part of its width. At the newest end it goes along again. */
export function panAxis(part: number): void {
  const shown = axisInterval.value;
  const by = (shown.to - shown.from) * part;
  const to = shown.to + by;
  axis.value = to >= now.value ? undefined : { from: shown.from + by, to };
}

export function showAll(): void {
  const seconds = status.value.historySeconds;
  axis.value = undefined;
  axisSpan.value = Number.isFinite(seconds) && seconds > 5 ? seconds : SPAN_FIRST;
}

/** Moves the range to the marked interval before (-1) or after (1) it. */
export function goToMark(direction: 1 | -1): void {
  const interval = rangeInterval.value;
  const ended = marks.value
    .map((one) => ({ from: one.begin, to: Number.isNaN(one.end) ? now.value : one.end }))
    .filter((one) => one.to > one.from)
    .sort((a, b) => a.from - b.from);
  const begin = interval?.from ?? 0;
  const next =
    direction > 0
      ? ended.find((one) => one.from > begin && !isLive.value)
      : ended.filter((one) => one.from < begin).pop();
  if (next) showInterval(next);
}

/** Makes an interval the range, and moves the strip so that it is visible. */
export function showInterval(interval: Interval): void {
  const shown = axisInterval.value;
  batch(() => {
    range.value = interval;
    if (interval.from < shown.from || interval.to > shown.to) {
      const margin = (interval.to - interval.from) / 2;
      axis.value = { from: interval.from - margin, to: interval.to + margin };
    } else axis.value = shown;
  });
}

// ---- links --------------------------------------------------------------------------------------

/** The boot that a link named, until it is known whether that boot is there. */
const wanted = signal<{ machine: string; boot: string } | undefined>(undefined);

export const place = computed<Place>(() => ({
  view: view.value,
  machine: wanted.value?.machine ?? machineState.value?.of ?? machine.value,
  boot:
    wanted.value?.boot ??
    (isLive.value && !machineState.value?.of ? "" : (machineState.value?.boot ?? "")),
  range: range.value,
  measure: chosenMeasure.value,
  selection: selection.value,
  function: chosenFunction.value,
  rankedBy: rankedBy.value,
  chips: chips.value,
  pins: pins.value,
  marks: ownMarks.value,
  baseline: baseline.value,
}));

export function goTo(link: Partial<Place>): void {
  batch(() => {
    if (link.machine) machine.value = link.machine;
    wanted.value =
      link.boot && link.machine ? { machine: link.machine, boot: link.boot } : undefined;
    view.value = link.view ?? "objects";
    viewNamed = link.view !== undefined;
    range.value = link.range ?? RANGE_FIRST;
    axis.value = undefined;
    chosenMeasure.value = link.measure ?? "";
    chooseFunction(link.function ?? "", link.selection ?? "");
    rankedBy.value = link.rankedBy ?? RANKED_BY[0].by;
    chips.value = link.chips ?? [];
    pins.value = link.pins ?? [];
    ownMarks.value = (link.marks ?? []).slice(0, MARKS_MOST);
    baseline.value = link.baseline;
    if (link.window && link.machine)
      zoomed.value = { machine: link.machine, interval: link.window };
    if (link.range && !("live" in link.range)) {
      const margin = (link.range.to - link.range.from) / 2;
      axis.value = { from: link.range.from - margin, to: link.range.to + margin };
    }
    findBoot();
  });
}

/**
 * Goes to the boot that a link named. The gateway tells the boot before ahead of the present one,
 * so where the present one is known and neither is the wanted one, it is gone.
 */
export function findBoot(): void {
  const link = wanted.value;
  const present = link && machineStates.value.get(link.machine)?.boot;
  if (!link || !present) return;
  const [found] = [...machineStates.value].find(
    ([name, one]) => (name === link.machine || one.of === link.machine) && one.boot === link.boot,
  ) ?? [undefined];
  wanted.value = undefined;
  if (found) machine.value = found;
  else {
    addNotice(`The link is to an earlier boot of ${link.machine}, which is gone: this is now`);
    goTo({
      ...place.value,
      boot: "",
      range: undefined,
      selection: "",
      function: "",
      baseline: undefined,
      marks: [],
      chips: chips.value.filter(isOfEachMachine),
    });
  }
}
