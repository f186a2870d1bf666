// SPDX-License-Identifier: MIT
// A gateway without a machine: serves the page with the same headers, plays a machine under load.
//   node test/played_gateway.mjs FOLDER [--objects N] [--changes N] [--observer] [--tape] [--panic]
//     [--port PORT]
// prints the link. --tape: the machine is a recording. --panic: it has panicked. --changes: so many
// objects get another heat twice a second, as often as kov serve says it, and every two seconds 100
// objects go or come. It shows what the page does; what kov serve does is tested with kov serve.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { frame } from "./frames.mjs";

const option = (name, initial) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? initial : process.argv[at + 1];
};
const folder = process.argv[2];
const role = process.argv.includes("--observer") ? "observer" : "controller";
const panic = process.argv.includes("--panic");
const played = process.argv.includes("--tape");
const extra = Number(option("objects", 300));
const changes = Number(option("changes", 0));
const TOKEN = "0123456789abcdef0123456789abcdef";
const SECOND = 1e9;
const HISTORY = 90;

// ---- the machine --------------------------------------------------------------------------------

const strings = [""];
const classOf = (name) => {
  const at = strings.indexOf(name);
  return at > 0 ? at : strings.push(name) - 1;
};
const things = [];
const tree = [];
let hottest = [];
/** The process that the user has started, and the hot object in it. */
const OWN = 7;
let warm = 0;

function add(parent, key, label, className = "", pid = 0, misses = 0, own = 0) {
  things.push([key, label, classOf(className) * (className ? 1 : 0), pid]);
  tree.push([things.length, parent, classOf(className || "-"), 1, misses, own]);
  return things.length;
}

function buildMachine() {
  const machine = add(0, "m", "orrery");
  const kernel = add(machine, "p:0", "kernel");
  const object = (parent, className, coid) =>
    add(parent, `o:0:${coid.toString(16)}`, "", className, 0, coid % 7);
  hottest = [0x12550, 0x12560, 0x12570].map((coid) =>
    object(kernel, "ContendedObject(SpinLocked)", coid),
  );
  hottest.push(object(kernel, "PageAllocator(BuddyWithStocks)", 0x10020));
  object(kernel, "ProcessAnnex(ProcessTable)", 0x10110);
  const names = ["init", "fs", "proc", "net", "dci", "shell", "a\u202eb<script>\u0007"];
  names.forEach((name, i) => {
    const pid = i + 1;
    const process = add(machine, `p:${pid}`, name, "", pid, 0, pid === OWN ? 1 : 0);
    const inside = add(process, `s:${pid}:kernel`, "in the kernel", "", pid);
    const base = 0x11000 + pid * 0x100;
    const itself = object(inside, "Process(ProcessReplicated)", base);
    const region = object(itself, "Region(RegionAnonymous)", base + 0x10);
    const memory = object(region, "FCM(FCMComputation)", base + 0x20);
    hottest.push(memory);
    if (pid === OWN) warm = memory;
    object(itself, "HAT(HATPrivate)", base + 0x30);
    const outside = add(process, `s:${pid}:process`, "in the process", "", pid);
    for (let k = 0; k < extra / names.length; k++)
      add(outside, `o:${pid}:${(0x10000 + k * 16).toString(16)}`, "", "Buffer(Plain)", pid, k % 3);
  });
}
buildMachine();

/** What has samples and stands in no scan: a thing, its samples a second. */
const apart = [
  ["n:0", "[none]", 7],
  ["p:99", "sort", 5],
  ["i", "[idle]", 400],
].map(([key, label, rate]) => [things.push([key, label, 0, 0]), rate]);

const plain = tree.map(([thing]) => thing).filter((thing) => things[thing - 1][0].startsWith("o:"));

/** The next so many of all objects, as if they were hot by turns. */
let turn = 0;
function changedHeat() {
  const own = Array.from({ length: changes }, (_, i) => {
    const thing = plain[(turn + i * 7) % plain.length];
    return [thing, 1 + ((turn * 31 + i * 17) % 997)];
  });
  turn += changes;
  return own;
}

/** The 100 youngest objects are there every second time. */
const treeNow = () => (Math.floor(now() / SECOND / 2) % 2 ? tree.slice(0, -100) : tree);

const parentOf = (thing) => tree[thing - 1][1];
const start = Date.now();
const now = () => (HISTORY + (Date.now() - start) / 1000) * SECOND;
const wave = (second, i) =>
  1 +
  0.4 * Math.sin(second / 7 + i) +
  0.1 * Math.sin(second * 1.7 + i * 5) +
  (second > 40 && second < 60 ? 1.5 : 0);

function heatRows(seconds) {
  const own = new Map([
    ...changedHeat(),
    ...hottest.map((thing, i) => [thing, Math.round(120 * seconds * 0.35 ** i)]),
    [warm, 2 * seconds],
  ]);
  const sums = new Map();
  for (const [thing, samples] of own) {
    for (let at = thing; at; at = parentOf(at)) {
      const key = things[at - 1][0];
      if (at === thing || !key.startsWith("o:")) sums.set(at, (sums.get(at) ?? 0) + samples);
    }
  }
  for (const [thing, rate] of apart) {
    const samples = rate * seconds;
    const key = things[thing - 1][0];
    sums.set(thing, samples);
    if (key !== "i") sums.set(1, sums.get(1) + samples);
    if (key === "n:0") sums.set(2, sums.get(2) + samples);
  }
  const scale = 100000 / seconds;
  const all = sums.get(1);
  return [...sums].map(([thing, samples]) => {
    const value = samples * scale;
    const error = 2.58 * Math.sqrt(samples) * scale;
    const share = samples / (things[thing - 1][0] === "i" ? all + samples : all);
    const percent = [share * 100, 258 * Math.sqrt((share * (1 - share)) / all)];
    return [thing, samples, value, error, ...percent, value, error, ...percent];
  });
}

const METRICS = {
  "lock acquisition": 2.3,
  "spin contention": 6,
  "branch misprediction": 0.7,
  "TLB miss rate": 0.02,
  IPC: 0.7,
};

const METRIC_STRINGS = Object.keys(METRICS).map(classOf);

function metricRow(name, second) {
  const index = Object.keys(METRICS).indexOf(name);
  const value = METRICS[name] * wave(second, index);
  const unknown = second > 22 && second < 30 && index === 3;
  return [second * SECOND, unknown ? NaN : value, unknown ? NaN : value * 0.04, unknown ? 0 : 0.5];
}

/** Means of the seconds of an interval. TLB misses were not measured on CPU 1. */
function metricsRows(watch) {
  const to = watch.to ?? now();
  const from = watch.from ?? to - (watch.seconds ?? 10) * SECOND;
  const first = Math.ceil(from / SECOND);
  const times = Array.from({ length: Math.ceil(to / SECOND) - first }, (_, i) => first + i);
  return Object.keys(METRICS).map((name, i) => {
    const rows = times.map((at) => metricRow(name, at)).filter((row) => !Number.isNaN(row[1]));
    const value = rows.reduce((sum, row) => sum + row[1], 0) / rows.length;
    const error = (value * 0.04) / Math.sqrt(rows.length);
    return [METRIC_STRINGS[i], value, error, 0.5, name === "TLB miss rate" ? 2 : 0];
  });
}

const runs = [
  {
    id: 1,
    name: "contention work=27-9",
    running: false,
    error: "",
    report: "27 turns\nall equal",
    begin: 40 * SECOND,
    end: 60 * SECOND,
  },
];

/** While a workload runs, a sample a second is lost. */
const lostSamples = () =>
  runs
    .slice(1)
    .reduce((lost, one) => lost + Math.floor(((one.end || now()) - one.begin) / SECOND), 7);

function stateOf(kind) {
  const cell = (now() / SECOND) | 0;
  if (kind === "status")
    return {
      events: [
        { name: "run-cycles", title: "time", period: 1003009, mode: "", index: 0 },
        { name: "larx", title: "lock turns", period: 100000, mode: "", index: 1 },
      ],
      rate: 1248,
      lost: lostSamples(),
      missed: 3,
      owner: "",
      mine: true,
      scan_age: 0.4,
      scan_seconds: 0.015,
      history_seconds: cell,
      stacks: 4096,
      stacks_max: 4096,
      stacks_refused: 9 + cell,
      now: now(),
    };
  if (kind === "processes")
    return {
      timebase_hz: 512e6,
      time: Math.round((now() / SECOND) * 512e6),
      processes: things
        .filter(([key]) => key.startsWith("p:") && key !== "p:99")
        .map(([key, name], i) => ({
          pid: Number(key.slice(2)),
          name,
          parent: i ? 1 : 0,
          state: 1,
          cpu_ticks: Math.round(((now() / SECOND) * 512e6 * 0.4) / (i + 1)),
          memory_kb: 1200 + i * 77,
          faults: 31 * i,
          calls: 12345 * i,
          priority: 3,
          dispatchers: 2,
        })),
    };
  if (kind === "server")
    return {
      network: { frames_in: 12345, frames_out: 23456, connections: 3, dropped: 0 },
      server: { requests: 999, malformed: 0, refused: 1 },
      clients: [
        {
          number: 1,
          role: "controller",
          address: "10.0.2.2:40123",
          sampling: true,
          tracing: false,
        },
        { number: 2, role: "observer", address: "10.0.2.2:40124", sampling: false, tracing: false },
      ],
    };
  if (kind === "workloads")
    return {
      kinds: [
        {
          name: "contention",
          help:
            "work=27-9-3-1 (calls of four objects, 1..100), hold=100 (us, 1..10000), " +
            "cpus=all (or 0-1)",
        },
        { name: "demo", help: "" },
        { name: "crash", help: "kind=wild (wild|hang)" },
      ],
      runs,
    };
  return {
    marks: [
      ...runs.map((one) => ({ name: one.name, begin: one.begin, end: one.end, kind: "workload" })),
      { name: "connection lost", begin: 70 * SECOND, end: 73 * SECOND, kind: "gap" },
    ],
  };
}

function objectOf(key) {
  const at = things.findIndex(([one]) => one === key);
  if (at < 0) return undefined;
  const [name, implementation] = /^(.*)\((.*)\)$/.exec(strings[things[at][2]])?.slice(1) ?? [
    "",
    "",
  ];
  return {
    class: name,
    implementation,
    size: 192,
    distributed: name === "Process",
    reps: 1,
    misses: tree[at][4],
    process: things[at][3],
    children: tree.filter((row) => row[1] === at + 1).map((row) => things[row[0] - 1][0]),
    parents: [things[tree[at][1] - 1]?.[0]].filter(Boolean),
  };
}

function rankingRows(subscription) {
  const by = { object: "o:", process: "p:", class: "k:" }[subscription.by];
  const all = heatRows(subscription.seconds ?? 10);
  const rows = all.filter(([thing]) => things[thing - 1][0].startsWith(by));
  const total = all.find(([thing]) => things[thing - 1][0] === "m");
  rows.sort((a, b) => b[2] - a[2]);
  const has = subscription.base_from !== undefined;
  const out = rows.map(([thing, samples, value, error], i) => {
    const share = (value / total[2]) * 100;
    const shareError = (error / total[2]) * 100;
    const before = has ? share * (i % 2 ? 1.02 : 0.4) : NaN;
    return [
      thing,
      samples,
      value,
      error,
      share,
      shareError,
      before,
      share - before,
      shareError * 1.3,
      has && Math.abs(share - before) <= shareError * 1.3 ? 1 : 0,
      value,
      has ? value * (i % 2 ? 1 : 0.3) : NaN,
      has && i % 2 ? 1 : 0,
    ];
  });
  return [...out, [0, 15, 2000, 500, 0.1, 0.02, NaN, NaN, NaN, 0, 200, NaN, 0]];
}

/** The first answer has samples whose functions are being looked up. */
function functionsOf(watch) {
  const pending = watch.told ? 0 : 12;
  watch.told = true;
  const own = [60 - pending, 20, 5, 0];
  const names = ["kernel:lock_acquire", "fs:main", "a\u202eb:<script>alert()", "kernel:idle_never"];
  const part = (name, samples, whole) => ({
    function: name,
    samples,
    share: (samples / whole) * 100,
    error: 3,
  });
  return {
    from: 0,
    to: now(),
    samples: 100,
    events: 1e7,
    unknown: 15,
    pending,
    others: 4,
    rows: own.map((samples, i) => ({
      ...part(names[i], samples, 200),
      events: samples * 1e5,
      total_samples: samples + 1,
      total_share: (samples + 1) / 2,
      total_error: 3,
    })),
    callers: [part("kernel:dispatch", 30, 60), part(null, 2, 60)],
    inlined: watch.function ? [part("spin_pause", 20, 60)] : [],
    lines: watch.function
      ? [
          { file: "kernel/lock.c", line: 41, samples: 50, share: 83.3, error: 4 },
          { file: null, line: 0, samples: 10, share: 16.7, error: 4 },
        ]
      : [],
  };
}

// ---- what it says -------------------------------------------------------------------------------

function say(socket, watch) {
  const json = (message) => socket.send(JSON.stringify(message));
  const { id, kind } = watch;
  const second = Math.floor(now() / SECOND);
  const first = watch.said ?? 0;
  const whole = watch.said === undefined;
  watch.said = second;
  const times = Array.from({ length: second - first }, (_, i) => first + i);
  if (kind === "objects") {
    if (whole) socket.send(frame("objects", id, tree));
    else if (changes && second % 2 === 0) socket.send(frame("objects", id, treeNow()));
  } else if (kind === "heat") socket.send(frame("heat", id, heatRows(watch.seconds ?? 10)));
  else if (kind === "ranking") socket.send(frame("ranking", id, rankingRows(watch)));
  else if (kind === "metric")
    socket.send(
      frame(
        "metric",
        id,
        times.map((at) => metricRow(watch.metric, at)),
        { whole },
      ),
    );
  else if (kind === "metrics") socket.send(frame("metrics", id, metricsRows(watch)));
  else if (kind === "series") {
    const rows = times.map((at) => {
      const value = 2.5e6 * wave(at, 2);
      return [at * SECOND, value, value, value, value * 0.05];
    });
    socket.send(frame("series", id, rows, { whole }));
  } else if (kind === "console") {
    const text =
      whole || watch.again ? "orrery:/$ ls\r\nbin  \u001b[1metc\u001b[0m\r\norrery:/$ " : "";
    if (text)
      socket.send(
        frame(
          "bytes",
          id,
          [...Buffer.from(text)].map((one) => [one]),
          { whole: true },
        ),
      );
  } else if (kind === "functions") json({ type: "state", id, data: functionsOf(watch) });
  else json({ type: "state", id, data: stateOf(kind) });
}

function answer(socket, message) {
  const { id } = message;
  const json = (said) => socket.send(JSON.stringify(said));
  if (message.type === "ask") {
    const data = objectOf(message.of);
    json(data ? { type: "answer", id, data } : { type: "error", id, message: "no such object" });
  } else if (role !== "controller") json({ type: "error", id, message: "only controllers may" });
  else {
    if (message.do === "workload_start")
      runs.push({
        id: runs.length + 1,
        name: message.text,
        running: true,
        error: "",
        report: "",
        begin: now(),
        end: 0,
      });
    if (message.do === "workload_stop")
      for (const one of runs)
        if (one.id === message.number)
          Object.assign(one, { running: false, end: now(), report: "stopped" });
    json({ type: "answer", id, data: {} });
  }
}

const TYPES = {
  svg: "image/svg+xml",
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
};

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  const name = path === "/" ? "index.html" : path.slice(1);
  if (!["index.html", "icon.svg", "main.js", "style.css"].includes(name)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    "Content-Type": `${TYPES[name.split(".")[1]]}; charset=utf-8`,
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
      `worker-src 'self'; connect-src ws://${request.headers.host}; base-uri 'none'; ` +
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      "trusted-types orrery",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
  response.end(readFileSync(join(folder, name)));
});

const sockets = new WebSocketServer({ server, path: "/ws", handleProtocols: () => "orrery" });
sockets.on("connection", (socket) => {
  const json = (message) => socket.send(JSON.stringify(message));
  const watches = new Map();
  let timer;
  let ticks = 0;
  socket.on("close", () => clearInterval(timer));
  socket.on("message", (text) => {
    const message = JSON.parse(String(text));
    if (message.type === "hello") {
      if (message.token !== TOKEN) {
        json({ type: "refused", message: "this token is not known" });
        socket.close();
        return;
      }
      json({ type: "welcome", version: 1, role, machines: ["orrery"], credit: 8388608 });
      json({
        type: "machine",
        machine: "orrery",
        state: played ? "played" : panic ? "lost" : "live",
        ...(panic ? { panic: "PANIC on CPU 1: lock order\u202e" } : {}),
        boot: "3f2a91c0",
        message: "",
        tries: 0,
        address: "127.0.0.1:4242",
        cpus: 2,
        seconds: 90,
        version: "1",
      });
      json({ type: "names", machine: "orrery", first: 1, things, first_string: 0, strings });
      timer = setInterval(() => {
        ticks++;
        for (const watch of watches.values())
          if (ticks % 2 === 0 || (changes && watch.kind === "heat")) say(socket, watch);
      }, 500);
    } else if (message.type === "watch") {
      watches.set(message.id, message);
      say(socket, message);
      // As kov serve does where another browser begins to watch.
      if (message.kind === "console") say(socket, Object.assign(message, { again: true }));
      message.again = false;
    } else if (message.type === "unwatch") watches.delete(message.id);
    else if (message.type !== "credit") answer(socket, message);
  });
});

server.listen(Number(option("port", 0)), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/#t=${TOKEN}`);
});
