// SPDX-License-Identifier: MIT
// A list of many rows and its keys. Only the visible rows are in the page.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { scaledPixels } from "./rem.ts";

/** 22 pixels at the usual size of text, as .row of style.css has it. */
const rowHeight = scaledPixels(22);
const OVERSCAN = 4;

interface ListProps {
  label: string;
  role: "treegrid" | "grid";
  count: number;
  columns: number;
  /** The chosen row, -1 for none. */
  chosen: number;
  choose: (index: number) => void;
  /** Takes keys other than those that move. Returns true if it took the key. */
  onKey?: (key: string, index: number) => boolean;
  rowId: (index: number) => string;
  header: ComponentChildren;
  row: (index: number) => ComponentChildren;
  /** Goes up when the list must scroll to the chosen row. */
  reveal?: number;
  onPointer?: (inside: boolean) => void;
}

export function VirtualList(props: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setHeight(element.clientHeight));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const intoSight = (index: number): void => {
    const element = scroller.current;
    if (!element || index < 0) return;
    const at = index * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = at + rowHeight - element.clientHeight;
  };
  useEffect(() => intoSight(props.chosen), [props.reveal]);

  const rowOf = useDrawn(props.row);
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN);
  const last = Math.min(props.count, Math.ceil((top + height) / rowHeight) + OVERSCAN);
  const page = Math.max(1, Math.floor(height / rowHeight) - 1);

  const moves: Record<string, number> = {
    ArrowUp: props.chosen - 1,
    ArrowDown: props.chosen + 1,
    PageUp: props.chosen - page,
    PageDown: props.chosen + page,
    Home: 0,
    End: props.count - 1,
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || props.count === 0)
      return;
    if (event.key in moves) {
      const to = Math.max(0, Math.min(props.count - 1, moves[event.key]));
      props.choose(to);
      intoSight(to);
    } else if (props.chosen < 0 || !props.onKey?.(event.key, props.chosen)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++) rows.push(rowOf(index));
  return (
    <div
      class="list"
      role={props.role}
      aria-label={props.label}
      aria-rowcount={props.count + 1}
      aria-colcount={props.columns}
      aria-activedescendant={
        props.chosen >= first && props.chosen < last ? props.rowId(props.chosen) : undefined
      }
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerEnter={() => props.onPointer?.(true)}
      onPointerLeave={() => props.onPointer?.(false)}
    >
      {props.header}
      <div
        class="list-rows"
        role="rowgroup"
        ref={scroller}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div
          class="list-space"
          role="presentation"
          style={{ height: `${props.count * rowHeight}px` }}
        >
          {rows}
        </div>
      </div>
    </div>
  );
}

/** Drawn rows stay the same while the list is scrolled, so preact recognizes them. */
function useDrawn(row: ListProps["row"]): ListProps["row"] {
  return useMemo(() => {
    const drawn = new Map<number, ComponentChildren>();
    return (index) => {
      if (!drawn.has(index)) drawn.set(index, row(index));
      return drawn.get(index);
    };
  }, [row]);
}

/** The place of a row in the list. */
export const rowPlace = (index: number): JSX.CSSProperties => ({
  transform: `translateY(${index * rowHeight}px)`,
});
