// SPDX-License-Identifier: MIT
// The views, by their keys. Numbers for later views are left free.

export const VIEWS = [
  { key: "1", name: "objects", title: "Objects" },
  { key: "2", name: "metrics", title: "Metrics" },
  { key: "3", name: "ranking", title: "Ranking" },
  { key: "4", name: "timeline", title: "Timeline" },
  { key: "7", name: "machine", title: "Machine" },
] as const;

/** What the Ranking can be of. */
export const RANKED_BY = [
  { by: "object", title: "objects" },
  { by: "class", title: "classes" },
  { by: "process", title: "processes" },
  { by: "function", title: "functions" },
] as const;

export type RankedBy = (typeof RANKED_BY)[number]["by"];

export type ViewName = (typeof VIEWS)[number]["name"];

export const isView = (name: string): name is ViewName => VIEWS.some((one) => one.name === name);
