// SPDX-License-Identifier: MIT
// A canvas that has its size in the page. It is drawn again when its contents or the theme change.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

/** Pixels. Browsers draw nothing on a canvas that is higher. */
const HIGHEST = 32_000;

interface CanvasProps {
  label: string;
  class?: string;
  draw: (context: CanvasRenderingContext2D, size: Size) => void;
  /** Handlers of the canvas: pointers, keys. */
  on?: JSX.HTMLAttributes<HTMLCanvasElement>;
  take?: (canvas: HTMLCanvasElement | null) => void;
}

export function Canvas(props: CanvasProps): JSX.Element {
  const element = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });

  useLayoutEffect(() => {
    const canvas = element.current;
    if (!canvas) return;
    const watcher = new ResizeObserver(() =>
      setSize({ width: canvas.clientWidth, height: canvas.clientHeight }),
    );
    watcher.observe(canvas);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    props.take?.(element.current);
    return () => props.take?.(null);
  }, [props.take]);

  useLayoutEffect(() => {
    const canvas = element.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context || size.width === 0) return;
    const ratio = Math.min(window.devicePixelRatio || 1, HIGHEST / size.height);
    const width = Math.round(size.width * ratio);
    const height = Math.round(size.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    props.draw(context, size);
  });

  return (
    <canvas
      ref={element}
      class={props.class}
      role="img"
      aria-label={props.label}
      tabIndex={0}
      {...props.on}
    />
  );
}
