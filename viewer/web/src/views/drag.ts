// SPDX-License-Identifier: MIT
// The pointer on a graph: it is the cursor of all of them. Dragging chooses the range, Shift-drag
// moves, Ctrl-wheel zooms.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Interval, SECOND } from "../base/time.ts";
import * as store from "../model/store.ts";

export interface Drag {
  preview: Interval | undefined;
  on: JSX.HTMLAttributes<HTMLCanvasElement>;
}

/** A drag of fewer pixels is a click, which changes nothing. */
const CLICK = 4;

const noCursor = (): void => {
  store.cursor.value = undefined;
};

/** left: pixels of the canvas before its time begins. */
export function useDrag(left = 0): Drag {
  const begin = useRef<{ x: number; time: number; shown: Interval; pans: boolean }>();
  const [preview, setPreview] = useState<Interval>();
  const timeAt = (event: MouseEvent, shown: Interval): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return (
      shown.from +
      ((event.clientX - box.left - left) / (box.width - left)) * (shown.to - shown.from)
    );
  };
  return {
    preview,
    on: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        const shown = store.axisInterval.value;
        begin.current = {
          x: event.clientX,
          time: timeAt(event, shown),
          shown,
          pans: event.shiftKey,
        };
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event) => {
        store.cursor.value = timeAt(event, store.axisInterval.value);
        const drag = begin.current;
        if (!drag || Math.abs(event.clientX - drag.x) < CLICK) return;
        const time = timeAt(event, drag.shown);
        if (drag.pans) {
          const by = drag.time - time;
          store.axis.value = { from: drag.shown.from + by, to: drag.shown.to + by };
        } else
          setPreview({
            from: Math.max(0, Math.min(drag.time, time)),
            to: Math.max(drag.time, time),
          });
      },
      onPointerUp: () => {
        const drag = begin.current;
        begin.current = undefined;
        if (!drag || !preview) return;
        setPreview(undefined);
        if (preview.to - preview.from < SECOND / 10) return;
        store.axis.value = drag.shown;
        store.range.value = preview;
      },
      onPointerLeave: noCursor,
      onBlur: noCursor,
      onPointerCancel: () => {
        begin.current = undefined;
        setPreview(undefined);
      },
      onWheel: (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        store.zoomAxis(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event, store.axisInterval.value));
      },
    },
  };
}
