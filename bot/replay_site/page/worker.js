"use strict";
// Runs Python and the rules beside the page. Everything it needs is handed to it: it asks the network for nothing.

const BASE = "memory:/";
const CHUNK_MS = 80;
const ESTIMATE_MS = 20_000;
const POINTS = 40;
const MAX_DEPTH = 200;

let replay = null;
let current = 0;
let moments = []; // pairs of a row and its part; the first is the beginning

// Chromium starts no module worker for a page on the disk; Pyodide takes a worker without this function for one.
self.importScripts = undefined;

const moduleOf = (data) => import(URL.createObjectURL(new Blob([data], { type: "text/javascript" })));

async function start(files) {
  const types = { wasm: "application/wasm", zip: "application/zip" };
  self.fetch = async (address) => {
    const name = String(address).slice(BASE.length);
    if (!Object.hasOwn(files, name)) return Response.error();
    return new Response(files[name], { headers: { "content-type": types[name.split(".").pop()] ?? "text/plain" } });
  };
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    moduleOf(files["pyodide.mjs"]),
    moduleOf(files["pyodide.asm.mjs"]),
  ]);
  postMessage({ at: "python" });
  const lockFileContents = {
    info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten", python: "3.14", version: "" },
    packages: {},
  };
  const python = await loadPyodide({
    indexURL: BASE,
    packageBaseUrl: BASE,
    createPyodideModule,
    lockFileContents,
    stdout: () => {},
    stderr: () => {},
  });
  postMessage({ at: "rules" });
  for (const [name, data] of Object.entries(files)) {
    if (name.endsWith(".whl") || name === "rules.zip") python.unpackArchive(data, "zip", { extractDir: "/rules" });
  }
  python.runPython("import sys; sys.path.insert(0, '/rules')");
  replay = python.pyimport("sim.jobs.replay_page").ReplayPage(new TextDecoder().decode(files["widths.json"]));
  python.runPython("from sim.jobs import systems; systems()");
  postMessage({ at: "ready" });
}

// Deep nesting would overflow the stack of WebAssembly, which ends Python.
function isDeep(bytes) {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const sign = bytes[at];
    if (sign === 0x0a) [depth, quoted] = [0, false];
    else if (sign === 0x22) quoted = !quoted;
    else if (quoted) at += sign === 0x5c;
    else if (sign === 0x5b || sign === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (sign === 0x5d || sign === 0x7d) depth--;
  }
  return false;
}

function read(data, text) {
  const bytes = data ? new Uint8Array(data) : new TextEncoder().encode(text);
  if (isDeep(bytes)) return { error: "This is no journal: it is nested too deeply." };
  return JSON.parse(data ? replay.open_file(bytes) : replay.open_link(text));
}

function open({ number, data, text }) {
  current = number;
  const answer = read(data, text);
  moments = [[0, 1]];
  postMessage({ at: "opened", number, ...answer });
  if (!answer.error) advance(number, 1);
}

function advance(number, most) {
  if (number !== current) return;
  const before = performance.now();
  const answer = JSON.parse(replay.advance(most));
  postMessage({ at: "rows", number, ...answer });
  for (const { n, parts } of answer.rows) parts.forEach((_, part) => moments.push([n, part + 1]));
  if (answer.done) return void setTimeout(() => estimate(number, 0));
  const took = Math.max(1, performance.now() - before);
  const next = Math.max(1, Math.min(most * 2, Math.round((most * CHUNK_MS) / took)));
  setTimeout(() => advance(number, next)); // so that another file can be opened meanwhile
}

// The chances along the battle, one moment at a time, so that cards needn't wait for long.
function estimate(number, moment, until = performance.now() + ESTIMATE_MS) {
  if (number !== current || moment >= moments.length || performance.now() > until) return;
  postMessage({ at: "chances", number, moment, ...JSON.parse(replay.chances(...moments[moment])) });
  setTimeout(() => estimate(number, moment + Math.ceil(moments.length / POINTS), until));
}

onmessage = async ({ data: message }) => {
  const { number } = message;
  try {
    if (message.do === "start") await start(message.files);
    else if (message.do === "open") open(message);
    else if (message.do === "ask") {
      current = number;
      postMessage({ at: "asked", number, ...JSON.parse(replay.ask(message.text)) });
    } else if (message.do === "card" && number === current) {
      postMessage({ at: "card", number, moment: message.moment, ...JSON.parse(replay.card(...moments[message.moment])) });
    } else if (message.do === "seal" && number === current) {
      postMessage({ at: "seal", number, ...JSON.parse(replay.seal(message.posted)) });
    }
  } catch (error) {
    postMessage({ at: "failed", number, doing: message.do, why: String(error?.message ?? error).slice(-500) });
  }
};
