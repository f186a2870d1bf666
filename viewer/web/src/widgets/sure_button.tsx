// SPDX-License-Identifier: MIT
// A button for what cannot be undone. It asks again in its own place.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const ASKS_MS = 4000;

export function SureButton(props: { title: string; sure: string; act: () => void }): JSX.Element {
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    if (!asks) return;
    const timer = setTimeout(() => setAsks(false), ASKS_MS);
    return () => clearTimeout(timer);
  }, [asks]);
  return (
    <button
      type="button"
      class={asks ? "asks" : undefined}
      onClick={(event) => {
        // The second half of a double click has read no question.
        if (asks && event.detail > 1) return;
        setAsks(!asks);
        if (asks) props.act();
      }}
    >
      {asks ? props.sure : props.title}
    </button>
  );
}
