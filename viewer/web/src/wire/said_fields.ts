// SPDX-License-Identifier: MIT
// Reads fields of JSON. One that is missing or has another type is unknown, and does no harm.

import { clean, cleanLines } from "../base/text.ts";

export type Unread = Record<string, unknown>;

export const object = (value: unknown): Unread =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Unread) : {};
export const list = (value: unknown): Unread[] => (Array.isArray(value) ? value.map(object) : []);
/** NaN: it is none. */
export const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
export const text = (value: unknown): string =>
  clean(typeof value === "number" ? `${value}` : value);
export const lines = cleanLines;
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(clean).filter(Boolean) : [];
export const flag = (value: unknown): boolean => value === true;
