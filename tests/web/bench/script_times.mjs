// SPDX-License-Identifier: MIT
// From Chromium's trace: the page's frames, and how long script ran in each: the processor's time,
// so that it counts nothing of other programs.

/** What the page marks each of its frames with. */
export const FRAME = "benchmark frame";

// Slices in which script runs, or is interrupted to collect garbage. Some lie within others.
const SCRIPT = ["v8.callFunction", "v8.run", "RunMicrotasks", "MinorGC", "MajorGC"];

/** Those that lie within no other, in order. */
function outermost(slices) {
  let end = 0;
  return slices
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter(({ ts, dur }) => {
      const outside = ts >= end;
      end = Math.max(end, ts + dur);
      return outside;
    });
}

/** In ms: script of each frame, and the time from each to the next. */
export function scriptTimes(events) {
  const marks = events.filter(({ name }) => name === FRAME);
  const starts = marks.map(({ ts }) => ts).sort((a, b) => a - b);
  const slices = outermost(
    events.filter(
      ({ name, ph, pid, tid }) =>
        ph === "X" && pid === marks[0].pid && tid === marks[0].tid && SCRIPT.includes(name),
    ),
  );
  const script = [];
  let next = slices.findIndex(({ ts }) => ts >= starts[0]);
  for (const end of starts.slice(1)) {
    let time = 0;
    for (; next < slices.length && slices[next].ts < end; next++) time += slices[next].tdur;
    script.push(time / 1000);
  }
  return { script, gaps: starts.slice(1).map((end, i) => (end - starts[i]) / 1000) };
}
