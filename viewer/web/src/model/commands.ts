// SPDX-License-Identifier: MIT
// All commands in one table, from which keys, palette, help and tests are made.

import { copyText, saveImage, saveText } from "./hand_out.ts";
import * as replay from "./replay.ts";
import * as slice from "./slice.ts";
import * as store from "./store.ts";
import { parseKey } from "./things.ts";
import { writePlace } from "./url.ts";
import { VIEWS } from "./views.ts";
import * as timeWindow from "./window.ts";

export interface Command {
  id: string;
  title: string;
  /** As `keyOf` writes them. None: it is only in the palette. */
  keys: readonly string[];
  group: "views" | "show" | "time" | "choose" | "give";
  run: () => void;
  /** Whether it can do something now. */
  when?: () => boolean;
}

/** Returns whether the selection can become a filter. It must be an object, class or process. */
const filterable = (): boolean =>
  ["object", "class", "process"].includes(parseKey(store.selection.value).kind);

export function pinOfSelection(): store.Pin {
  const of = store.selection.value || "m";
  return { kind: "series", name: store.measure.value, of };
}

function pinSelection(): void {
  if (!store.togglePin(pinOfSelection()))
    store.addNotice(`The strip holds ${store.PINS_MOST} pins: take one away first`);
}

export const COMMANDS: readonly Command[] = [
  ...VIEWS.map(
    (one): Command => ({
      id: `view-${one.name}`,
      title: one.title,
      keys: [one.key],
      group: "views",
      run: () => {
        store.view.value = one.name;
      },
    }),
  ),
  {
    id: "find",
    title: "Find an object, class, process or command",
    keys: ["/", "Ctrl+K"],
    group: "show",
    run: () => {
      store.dialog.value = "palette";
    },
  },
  {
    id: "help",
    title: "Keys and commands",
    keys: ["?"],
    group: "show",
    run: () => {
      store.dialog.value = store.dialog.value === "help" ? "" : "help";
    },
  },
  {
    id: "back",
    title: "One step back: dialog, baseline, selection, range",
    keys: ["Esc"],
    group: "show",
    run: store.stepBack,
  },
  {
    id: "inspector",
    title: "Show or hide the inspector",
    keys: ["Q"],
    group: "show",
    run: () => {
      store.inspectorOpen.value = !store.inspectorOpen.value;
    },
  },
  {
    id: "calls",
    title: "Count the calls of the selected process, or no more (traces the machine)",
    keys: ["C"],
    group: "show",
    run: () => {
      store.callsOpen.value = !store.callsOpen.value;
      if (store.callsOpen.value) store.inspectorOpen.value = true;
    },
    when: () => parseKey(store.selection.value).kind === "process",
  },
  {
    id: "strip",
    title: "Fold the strip to one line, or unfold it",
    keys: ["H"],
    group: "show",
    run: () => {
      store.stripOpen.value = !store.stripOpen.value;
    },
  },
  {
    id: "table",
    title: "A table in place of the picture, or the picture",
    keys: ["T"],
    group: "show",
    run: () => {
      store.asTable.value = !store.asTable.value;
    },
  },
  {
    id: "theme",
    title: "Light, dark, or as the system has it",
    keys: [],
    group: "show",
    run: () => {
      const next = { auto: "dark", dark: "light", light: "auto" } as const;
      store.theme.value = next[store.theme.value];
    },
  },
  {
    id: "zoom-in",
    title: "Zoom in",
    keys: ["W"],
    group: "time",
    run: () => (timeWindow.isShown() ? timeWindow.zoom(1 / 2) : store.zoomAxis(1 / 2)),
  },
  {
    id: "zoom-out",
    title: "Zoom out",
    keys: ["S"],
    group: "time",
    run: () => (timeWindow.isShown() ? timeWindow.zoom(2) : store.zoomAxis(2)),
  },
  {
    id: "pan-back",
    title: "Back in time",
    keys: ["A"],
    group: "time",
    run: () => (timeWindow.isShown() ? timeWindow.pan(-1 / 4) : store.panAxis(-1 / 4)),
  },
  {
    id: "pan-on",
    title: "On in time",
    keys: ["D"],
    group: "time",
    run: () => (timeWindow.isShown() ? timeWindow.pan(1 / 4) : store.panAxis(1 / 4)),
  },
  {
    id: "all",
    title: "All of the history, or of the trace",
    keys: ["0"],
    group: "time",
    run: () => (timeWindow.isShown() ? timeWindow.showWhole() : store.showAll()),
  },
  {
    id: "fit",
    title: "Show the range (Timeline)",
    keys: ["F"],
    group: "time",
    run: timeWindow.fitRange,
    when: () => timeWindow.isShown() && !store.isLive.value,
  },
  {
    id: "follow-back",
    title: "Who woke or called the selected slice (Timeline)",
    keys: [","],
    group: "time",
    run: () => slice.follow(slice.wayTo(true)),
    when: () => timeWindow.isShown() && slice.wayTo(true) !== undefined,
  },
  {
    id: "follow-on",
    title: "Whom the selected slice woke or called (Timeline)",
    keys: ["."],
    group: "time",
    run: () => slice.follow(slice.wayTo(false)),
    when: () => timeWindow.isShown() && slice.wayTo(false) !== undefined,
  },
  {
    id: "hold",
    title: "Hold, or live again",
    keys: ["Space"],
    group: "time",
    run: store.hold,
  },
  {
    id: "replay",
    title: "Play the recording, or pause",
    keys: ["Y"],
    group: "time",
    run: () => (replay.isPlaying.value ? replay.pause() : replay.play()),
    when: () => replay.ends.value !== undefined,
  },
  {
    id: "range",
    title: "Choose the range",
    keys: ["R"],
    group: "time",
    run: () => {
      store.dialog.value = "range";
    },
  },
  {
    id: "mark-before",
    title: "The marked interval before",
    keys: ["["],
    group: "time",
    run: () => store.goToMark(-1),
    when: () => store.marks.value.length > 0,
  },
  {
    id: "mark-next",
    title: "The next marked interval",
    keys: ["]"],
    group: "time",
    run: () => store.goToMark(1),
    when: () => store.marks.value.length > 0,
  },
  {
    id: "measure",
    title: "Choose what is counted",
    keys: ["E"],
    group: "choose",
    run: () => {
      store.dialog.value = "measure";
    },
  },
  {
    id: "only",
    title: "Only the selected",
    keys: ["Shift+O"],
    group: "choose",
    run: () => store.addChip({ not: false, any: [store.selection.value] }),
    when: filterable,
  },
  {
    id: "not",
    title: "Not the selected",
    keys: ["Shift+X"],
    group: "choose",
    run: () => store.addChip({ not: true, any: [store.selection.value] }),
    when: filterable,
  },
  {
    id: "monitor",
    title: "Hide the monitor's own processes, or show them again",
    keys: ["Shift+H"],
    group: "choose",
    run: store.toggleMonitor,
  },
  {
    id: "no-filter",
    title: "Take all filters away",
    keys: [],
    group: "choose",
    run: () => {
      store.chips.value = [];
    },
    when: () => store.chips.value.length > 0,
  },
  {
    id: "pin",
    title: "Pin the selection's measure to the strip, or take it away",
    keys: ["P"],
    group: "choose",
    run: pinSelection,
    when: () => store.measure.value !== "",
  },
  {
    id: "mark",
    title: "Mark the range with a name, or take its mark away",
    keys: ["M"],
    group: "choose",
    run: () => {
      if (store.dropMarks()) return;
      if (store.isLive.value) store.hold();
      store.dialog.value = "mark";
    },
    when: () => store.rangeInterval.value !== undefined,
  },
  {
    id: "baseline",
    title: "Make the range the baseline, or take the baseline away",
    keys: ["B"],
    group: "choose",
    run: () => {
      store.baseline.value = store.baseline.value ? undefined : store.rangeInterval.value;
    },
    when: () => store.rangeInterval.value !== undefined,
  },
  {
    id: "link",
    title: "Copy a link to what is shown, without the token",
    keys: ["L"],
    group: "give",
    run: () => {
      const { origin, pathname } = window.location;
      const place = { ...store.place.value, window: timeWindow.zoomedTo.value };
      copyText(`${origin}${pathname}${writePlace(place)}`, "a link, without the token");
    },
  },
  {
    id: "image",
    title: "Save the picture",
    keys: ["G"],
    group: "give",
    run: () => {
      const canvas = store.gives.image?.();
      if (canvas) saveImage(canvas, `${store.machine.value}-${store.view.value}.png`);
    },
    when: () => store.gives.image?.() !== undefined,
  },
  {
    id: "csv",
    title: "Save the numbers as CSV",
    keys: ["V"],
    group: "give",
    run: () => {
      const numbers = store.gives.csv?.();
      if (numbers) saveText(numbers.text, numbers.name);
    },
    when: () => store.gives.csv !== undefined,
  },
  {
    id: "kov",
    title: "Copy the kov command for these numbers",
    keys: ["K"],
    group: "give",
    run: () => {
      const command = store.gives.kov?.();
      if (command) copyText(command, command);
    },
    // kov reads a machine or a trace, and no tape.
    when: () => store.gives.kov !== undefined && (!store.isPlayed.value || store.isTrace.value),
  },
];

/** Returns a key as the table writes it; "" if it belongs to the browser. */
export function keyOf(event: {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}): string {
  if (event.altKey) return "";
  const letter = /^[a-z]$/i.test(event.key);
  if (event.ctrlKey || event.metaKey)
    return letter && event.key.toLowerCase() === "k" && !event.shiftKey ? "Ctrl+K" : "";
  if (letter) return (event.shiftKey ? "Shift+" : "") + event.key.toUpperCase();
  return { " ": "Space", Escape: "Esc" }[event.key] ?? event.key;
}

const byKey = new Map(COMMANDS.flatMap((one) => one.keys.map((key) => [key, one] as const)));

/** The only keys that act in a text field. */
const IN_TEXT = ["Esc", "Ctrl+K"];

/** Runs the command of a key. Returns false if there is none, or if it can do nothing now. */
export function runKey(key: string, inText: boolean): boolean {
  const command = byKey.get(key);
  if (!command || (inText && !IN_TEXT.includes(key))) return false;
  // Below an open dialog no command changes anything.
  if (store.dialog.value && key !== "Esc" && !(key === "?" && store.dialog.value === "help"))
    return false;
  if (command.when && !command.when()) return false;
  command.run();
  return true;
}

export const findCommand = (id: string): Command | undefined =>
  COMMANDS.find((one) => one.id === id);
