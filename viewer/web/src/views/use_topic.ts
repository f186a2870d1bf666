// SPDX-License-Identifier: MIT
// A view watches a topic while it is shown. It is drawn again when the topic says something.

import { useLayoutEffect, useState } from "preact/hooks";
import { topics } from "../model/session.ts";
import { machine } from "../model/store.ts";
import type { Topic, Wish } from "../model/topics.ts";

/** Undefined without a wish, or until the topic is watched. */
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

/** The version of a topic, for what is computed once for each version. */
export const versionOf = (topic: Topic | undefined): number => topic?.version.value ?? -1;
