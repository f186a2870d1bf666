// SPDX-License-Identifier: MIT
// A view watches a topic while it is shown. It is drawn again when the topic says something.

import { useLayoutEffect, useState } from "preact/hooks";
import { topics } from "../model/session.ts";
import { machine } from "../model/store.ts";
import type { Subscription, Topic } from "../model/topics.ts";

/** Returns the topic. Undefined: there is no subscription, or the topic is not watched yet. */
export function useTopic(subscription: Subscription | undefined): Topic | undefined {
  const [topic, setTopic] = useState<Topic>();
  const name = machine.value;
  const key = subscription && name ? JSON.stringify(subscription) : "";
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

/** Returns the version of a topic, for what is computed once for each version. */
export const versionOf = (topic: Topic | undefined): number => topic?.version.value ?? -1;
