// SPDX-License-Identifier: MIT
// The heat of a thing as the length of a bar. Tests find it by data-thing and data-value.

import type { JSX } from "preact";
import { percent } from "../base/number.ts";

export function HeatBar(props: {
  thing: string;
  label: string;
  /** What the bar is of, in the view's unit. */
  value: number;
  /** Percent: the length of the bar. */
  share: number;
}): JSX.Element {
  const share = props.share > 0 ? Math.min(100, props.share) : 0;
  return (
    <div
      class="heat"
      role="meter"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 10) / 10}
      aria-valuetext={percent(share)}
      data-thing={props.thing}
      data-value={props.value}
    >
      <div class="heat-length" style={{ width: `${share}%` }} />
    </div>
  );
}
