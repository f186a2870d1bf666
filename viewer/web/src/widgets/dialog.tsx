// SPDX-License-Identifier: MIT
// A dialog above the page. The focus stays in it and then goes back where it was.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Dialog(props: {
  title: string;
  close: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    // The first thing that takes the focus may stand far below.
    if (element.current) element.current.scrollTop = 0;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={(event) => {
        if (event.target === element.current) props.close();
      }}
    >
      <div class="dialog-inside">
        <h2>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}
