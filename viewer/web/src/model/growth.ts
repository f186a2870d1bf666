// SPDX-License-Identifier: MIT
// Whether a count of losses grows. What was lost long ago is told, but is no alarm.

import { SECOND } from "../base/time.ts";

const LATELY = 10 * SECOND;

export class Growth {
  #value = Number.NaN;
  #grew = Number.NEGATIVE_INFINITY;

  /**
   * Takes the count at a time of the machine. Returns whether it has grown lately. A smaller one
   * has begun anew.
   */
  note(value: number, time: number): boolean {
    if (value > this.#value) this.#grew = time;
    else if (value < this.#value) this.#grew = value > 0 ? time : Number.NEGATIVE_INFINITY;
    this.#value = value;
    return Math.abs(time - this.#grew) <= LATELY;
  }
}
