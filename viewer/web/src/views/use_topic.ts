// SPDX-License-Identifier: MIT
// A view watches a topic while it is shown; it is drawn again when that says something.

import { useLayoutEffect, useState } from "preact/hooks";
import { topics } from "../model/session.ts";
import { machine } from "../model/store.ts";
import type { Topic, Wish } from "../model/topics.ts";

/** Undefined where nothing is wished for, or until it is. */
export function useTopic(wish: Wish | undefined): Topic | undefined {
  const [topic, setTopic] = useState<Topic>();
  const name = machine.value;
  const key = wish && name ? JSON.stringify(wish) : "";
  useLayoutEffect(() => {
    if (!key) {
      setTopic(undefined);
      return;
    }
    const opened = topics.open(name, JSON.parse(key));
    setTopic(opened);
    return () => topics.close(opened);
  }, [name, key]);
  topic?.version.value;
  return topic;
}

/** The version of a topic, for what is worked out from it once. */
export const versionOf = (topic: Topic | undefined): number => topic?.version.value ?? -1;
