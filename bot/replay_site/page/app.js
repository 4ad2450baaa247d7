"use strict";
// What a file holds is only ever text here: nothing of it becomes markup.

const Fracas = (() => {
  const $ = (id) => document.getElementById(id);
  const MAX_FILE = 64 << 20;
  const MAX_LINK = 1 << 20;
  const MAX_QUESTION = 1000;
  const STEP_MS = 1600;
  const MARKS = { good: ["✓", "follows"], bad: ["✗", "doesn't follow"], unchecked: ["", "not checked"] };

  let site = null; // what the builder tells of the site
  let given = null; // how to hand over the part that is loading
  let worker = null; // a promise of the worker
  let number = 0; // of the battle that is open
  let called = ""; // its number among the channel's, where known
  let battle = null; // its head
  let rows = [];
  let moments = []; // pairs of a row, from 1, and a part of it, from 1: a row that fights many rounds has many
  let at = 0; // the moment that is shown, from 1
  let timer = null;
  let cardAddress = null;
  let drawing = false;
  let chances = []; // pairs of a moment and the chances of seats after it, null where nobody knows them

  // ---- loading

  function part(name, text) {
    given(text);
  }

  function loadPart(name) {
    return new Promise((resolve, reject) => {
      let text = null;
      given = (found) => (text = found);
      const script = document.createElement("script");
      script.src = `parts/${name}.js`;
      script.onload = () => (text === null ? script.onerror() : resolve(text));
      script.onerror = () => reject(new Error(`The file parts/${name}.js of this site can't be loaded.`));
      document.head.append(script);
      script.remove();
    });
  }

  async function unpacked(text, format = "gzip", limit = Infinity) {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
    const found = [];
    for (let size = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return new Uint8Array(await new Blob(found).arrayBuffer());
      size += value.length;
      if (size > limit) throw new Error("too long");
      found.push(value);
    }
  }

  function progress(label, share) {
    $("loading").hidden = label === null;
    if (label === null) return;
    $("step").textContent = label;
    if (share === null) $("progress").removeAttribute("value");
    else $("progress").value = share;
  }

  async function startWorker() {
    const total = site.parts.reduce((sum, [, size]) => sum + size, 0);
    const files = {};
    let loaded = 0;
    for (const [name, size] of site.parts) {
      progress("Loading Python", (0.7 * loaded) / total);
      files[name] = await unpacked(await loadPart(name));
      loaded += size;
    }
    const source = new Blob([files["worker.js"]], { type: "text/javascript" });
    const made = new Worker(URL.createObjectURL(source));
    await new Promise((resolve, reject) => {
      const steps = { python: ["Starting Python", 0.75], rules: ["Reading the rules", 0.9] };
      made.onerror = () => reject(new Error("This browser can't run Python; a newer one can."));
      made.onmessage = ({ data }) => {
        if (data.at === "ready") resolve();
        else if (data.at === "failed") reject(new Error(`Python didn't start: ${data.why}`));
        else progress(...steps[data.at]);
      };
      made.postMessage({ do: "start", files });
    });
    made.onmessage = ({ data }) => data.number === number && answers[data.at]?.(data);
    made.onerror = () => stop("Python stopped here; perhaps the battle is too large for this browser's memory.");
    return made;
  }

  async function stop(sentence) {
    trouble(sentence);
    const stopped = worker;
    worker = null; // the next battle starts another one
    (await stopped)?.terminate();
  }

  const ready = () => (worker ??= startWorker().catch((error) => {
    worker = null;
    throw error;
  }));

  // ---- opening

  function trouble(sentence) {
    progress(null);
    $("trouble").textContent = sentence ?? "";
    $("trouble").hidden = !sentence;
  }

  function close() {
    number += 1;
    pause();
    [battle, rows, moments, at, drawing, chances] = [null, [], [], 0, false, []];
    $("chances").hidden = true;
    $("noted").value = $("posted").value = "";
    answers.seal({ kind: "", lines: [] });
    $("battle").hidden = $("odds").hidden = true;
    trouble(null);
    return number;
  }

  async function open(what, name = "") {
    const mine = close();
    called = /(?:battle-|&n=)([0-9]+)/.exec(name)?.[1] ?? "";
    try {
      const message = await what();
      const python = await ready();
      if (mine !== number) return;
      progress("Reading the battle", null);
      python.postMessage({ do: "open", number, ...message }, message.data ? [message.data] : []);
    } catch (error) {
      if (mine === number) trouble(error.message);
    }
  }

  function openFile(file) {
    return open(async () => {
      if (!file) throw new Error("There is no file in what was dropped.");
      if (file.size > MAX_FILE) throw new Error(`This is no journal: a battle's file has at most ${MAX_FILE >> 20} MiB.`);
      try {
        return { data: await file.arrayBuffer() };
      } catch {
        throw new Error("This file can't be read. Drop one file, not a folder.");
      }
    }, file?.name);
  }

  function openText(text) {
    const link = /#j=([\w-]*)(&n=[0-9]+)?\s*$/.exec(text.slice(-MAX_LINK));
    return link ? openLink(link[1], link[2]) : openFile(new Blob([text.trim(), "\n"]));
  }

  function openLink(fragment, name) {
    return open(async () => {
      try {
        const bytes = await unpacked(fragment.replaceAll("-", "+").replaceAll("_", "/"), "deflate-raw", MAX_LINK);
        return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
      } catch {
        throw new Error("This link holds no battle; perhaps a part of it is missing.");
      }
    }, name);
  }

  function ask(text) {
    $("question").value = text;
    return open(async () => ({ do: "ask", text }));
  }

  const answers = {
    asked({ lines, error }) {
      if (error) return trouble(error);
      progress(null);
      const [title, ...told] = lines;
      $("odds").replaceChildren(textOf("h3", title), ...told.map((line) => textOf("p", line)));
      $("odds").hidden = false;
    },
    opened(answer) {
      if (answer.error) return trouble(answer.error);
      battle = answer;
      $("title").textContent = site.titles[answer.system] ?? answer.system;
      $("ending").textContent = [answer.ending, answer.branch].filter(Boolean).join(" ");
      const short = document.createElement("b");
      short.textContent = answer.lastHash.slice(0, 16);
      $("last-hash").replaceChildren(short, answer.lastHash.slice(16));
      $("seed-hash").textContent = answer.seedHash;
      $("seed").textContent = answer.seed ?? "";
      $("seed-line").hidden = answer.seed === null;
      $("beacon").hidden = answer.beacon === null;
      $("round").textContent = answer.beacon?.round ?? "";
      $("signature").textContent = answer.beacon?.signature ?? "";
      $("signature-line").hidden = !answer.beacon?.signature;
      $("address").textContent = answer.beacon?.address ?? "";
      $("seats").replaceChildren(...answer.seats.map(([seat, steps]) => textOf("li", `${capital(seat)}: ${steps}`)));
      $("who").hidden = !answer.seats.length;
      $("rows").replaceChildren();
      verdict("checking", "Checking every row…", "");
      $("battle").hidden = false;
      document.body.classList.add("watching");
      show(0);
    },
    rows(answer) {
      if (answer.rows.length) add(answer.rows);
      progress(`Checking row ${rows.length.toLocaleString("en")} of ${battle.rows.toLocaleString("en")}`,
        battle.rows ? rows.length / battle.rows : 1);
      if (answer.verdict) {
        battle.verdict = answer.verdict;
        verdict(answer.verdict.kind, answer.verdict.headline, answer.verdict.sentence);
        checkSeal();
      }
      if (!answer.done) return;
      progress(null);
      if (battle.verdict.row) show(first(Math.min(battle.verdict.row, rows.length)));
      else if (!at && rows.length) show(1);
    },
    seal({ kind, lines }) {
      $("sealed").className = kind;
      $("sealed").replaceChildren(...lines.map((line) => textOf("p", line)));
    },
    card({ moment, svg, alt }) {
      drawing = false;
      if (moment !== at) return draw();
      URL.revokeObjectURL(cardAddress);
      cardAddress = svg && URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      $("card").hidden = !svg;
      if (svg) $("card").src = cardAddress;
      $("card").alt = alt ?? "";
    },
    chances({ moment, seats }) {
      chances.push([moment, seats]);
      chart();
    },
    failed({ doing }) {
      drawing = false;
      if (doing === "card") $("card").hidden = true;
      else if (doing === "ask") trouble("This page can't answer that; the bot in Discord can.");
      else stop("This file can't be read as a battle.");
    },
  };

  // ---- showing

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  function textOf(tag, text, name = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = name;
    return made;
  }

  function verdict(kind, headline, sentence) {
    $("verdict").className = kind;
    $("verdict").replaceChildren(textOf("strong", headline), ...(sentence ? [textOf("p", sentence)] : []));
    compare();
  }

  function compare() {
    const noted = $("noted").value.toLowerCase().replace(/[\s`….]/g, "");
    const changed = $("verdict").className === "mismatch";
    const [kind, words] =
      !noted ? ["", ""]
      : !/^[0-9a-f]{12,64}$/.test(noted) ? ["no", "Paste at least the first 12 digits: 0 to 9 and a to f."]
      : !battle.lastHash.startsWith(noted) ? ["no", "No: the hashes differ. This isn't the battle you saw."]
      : changed ? ["no", "The hash is the same, but the rows before it were changed."]
      : ["yes", "Yes: this is the battle you saw."];
    $("same").className = kind;
    $("same").textContent = words;
  }

  async function checkSeal() {
    if (battle.beacon) (await ready()).postMessage({ do: "seal", number, posted: $("posted").value });
  }

  const first = (row) => moments.findIndex(([other]) => other === row) + 1;

  function add(found) {
    const made = document.createDocumentFragment();
    for (const row of found) {
      rows.push(row);
      row.parts.forEach((_, part) => moments.push([rows.length, part + 1]));
      const kind = row.n === battle.verdict?.row && row.unchecked ? "bad" : row.unchecked ? "unchecked" : "good";
      const [sign, words] = MARKS[kind];
      const mark = textOf("span", sign, `mark ${kind}`);
      mark.title = words;
      const button = document.createElement("button");
      button.append(textOf("span", rows.length, "n"), textOf("span", `${capital(row.seat)}: ${row.title}`), mark);
      button.dataset.row = rows.length;
      button.tabIndex = -1; // the list takes the focus, not each of its thousands of rows
      const item = document.createElement("li");
      item.append(button);
      made.append(item);
    }
    $("rows").append(made);
    if (!at) show(1);
    else place();
  }

  function place() {
    const all = moments.length + (battle ? battle.rows - rows.length : 0);
    $("place").textContent = battle ? `${at.toLocaleString("en")} of ${all.toLocaleString("en")}` : "";
    $("slider").max = all;
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", `Step ${at} of ${all}`);
    $("previous").disabled = at <= 1;
    $("next").disabled = at >= moments.length;
    $("play").textContent = timer ? "Pause" : "Play";
  }

  function show(moment) {
    $("rows").querySelector("[aria-current]")?.removeAttribute("aria-current");
    at = Math.max(Math.min(moment, moments.length), Math.min(1, moments.length));
    place();
    const [row, part] = moments[at - 1] ?? [0, 0];
    const view = rows[row - 1];
    const round = view?.parts.length > 1 ? `, round ${part} of ${view.parts.length}` : "";
    $("what-if").textContent = view ? `/battle branch row:${view.n} number:${called}` : "";
    $("branch").hidden = !view || view.over || view.unchecked;
    $("row-title").textContent = view ? `Row ${view.n}${round}. ${capital(view.seat)}: ${view.title}` : "";
    $("lines").replaceChildren(...(view?.parts[part - 1] ?? []).map((line) => textOf("p", line)));
    $("lines").scrollTop = 0;
    if (!view) return void ($("card").hidden = true);
    const button = $("rows").children[row - 1].firstChild;
    button.setAttribute("aria-current", "true");
    const list = $("rows");
    const top = button.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
    }
    draw();
    if (chances.length) chart();
  }

  function chart() {
    const known = chances.flatMap(([, found]) => (found ? [found] : []));
    const seats = [...new Set(known.flatMap(Object.keys))].slice(0, 2);
    const unsure = known.some((found) => seats.some((seat) => found[seat] > 0 && found[seat] < 1));
    $("chances").hidden = !unsure;
    if (!unsure) return;
    const nobody = (found) => Math.max(0, 1 - Object.values(found).reduce((sum, share) => sum + share, 0));
    const lines = seats.map((seat, index) => [capital(seat), `seat${index}`, (found) => found[seat] ?? 0]);
    if (known.some((found) => nobody(found) > 0.005)) lines.push(["Nobody wins", "nobody", nobody]);
    const svg = (tag, attributes) => {
      const made = document.createElementNS("http" + "://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      return made;
    };
    const x = (moment) => (800 * moment) / moments.length;
    const y = (share) => 10 + 200 * (1 - share);
    const drawn = svg("svg", { viewBox: "-6 0 812 222", role: "img", "aria-label": "Chances after each step" });
    for (const share of [0, 0.5, 1]) {
      drawn.append(svg("line", { x1: 0, x2: 800, y1: y(share), y2: y(share), class: "grid" }));
    }
    const legend = document.createElement("p");
    const now = chances.findLast(([moment]) => moment <= at)?.[1];
    if (!now) legend.append(textOf("span", "Nobody knows the chances here.", "nobody"));
    for (const [name, look, share] of lines) {
      const runs = [[]]; // a line ends where the chances aren't known
      for (const [moment, found] of chances) {
        if (found) runs.at(-1).push(`${x(moment).toFixed(1)},${y(share(found)).toFixed(1)}`);
        else runs.push([]);
      }
      for (const run of runs.filter((points) => points.length)) {
        const points = (run.length > 1 ? run : [...run, ...run]).join(" ");
        drawn.append(svg("polyline", { points, class: `line ${look}` }));
      }
      if (now) legend.append(textOf("span", `${name} ${Math.round(100 * share(now))}%`, look), " ");
    }
    drawn.append(svg("line", { x1: x(at), x2: x(at), y1: 0, y2: 222, class: "here" }));
    $("chart").replaceChildren(legend, drawn);
  }

  async function draw() {
    if (drawing) return; // one at a time: whoever jumps about waits for the last one alone
    drawing = true;
    (await ready()).postMessage({ do: "card", number, moment: at });
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    $("play").textContent = "Play";
  }

  function play() {
    if (timer) return pause();
    if (at >= moments.length) show(1);
    const step = () => (at < moments.length ? show(at + 1) : pause());
    timer = setInterval(step, STEP_MS / Number($("speed").value));
    place();
  }

  // ---- what people do

  function listen() {
    const jump = (moment) => {
      pause();
      show(moment);
    };
    $("choose").onclick = () => $("file").click();
    $("file").onchange = () => {
      if ($("file").files.length) openFile($("file").files[0]);
      $("file").value = "";
    };
    $("paste").onclick = () => {
      $("pasting").hidden = !$("pasting").hidden;
      if (!$("pasting").hidden) $("pasted").focus();
    };
    $("take").onclick = () => openText($("pasted").value);
    $("asking").onsubmit = (event) => {
      event.preventDefault();
      ask($("question").value.slice(0, MAX_QUESTION));
    };
    $("noted").oninput = compare;
    $("posted").oninput = checkSeal;
    $("play").onclick = play;
    $("previous").onclick = () => jump(at - 1);
    $("next").onclick = () => jump(at + 1);
    $("slider").oninput = () => jump(Number($("slider").value));
    $("speed").onchange = () => timer && (pause(), play());
    $("rows").onclick = ({ target }) => {
      const button = target.closest("button");
      if (button) jump(first(Number(button.dataset.row)));
    };
    for (const button of document.querySelectorAll(".copy")) {
      const label = button.textContent;
      button.onclick = async () => {
        const copied = await copy($(button.dataset.of));
        button.textContent = copied ? "Copied" : "Select and copy it";
        setTimeout(() => (button.textContent = label), 2000);
      };
    }
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      $("start").classList.add("over");
    });
    document.addEventListener("dragleave", () => $("start").classList.remove("over"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      $("start").classList.remove("over");
      openFile(event.dataTransfer.files[0]);
    });
    document.addEventListener("paste", (event) => {
      if (event.target.closest?.("textarea, input")) return;
      const text = event.clipboardData.getData("text");
      if (event.clipboardData.files.length) openFile(event.clipboardData.files[0]);
      else if (text) openText(text);
    });
    document.addEventListener("keydown", (event) => {
      if (!battle || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.closest?.("textarea, select, input")) return;
      const keys = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 1, End: moments.length };
      if (event.target.closest?.("#rows")) Object.assign(keys, { ArrowUp: at - 1, ArrowDown: at + 1 });
      if (event.key in keys) jump(keys[event.key]);
      else if (event.key === " " && !event.target.closest?.("button")) play();
      else return;
      event.preventDefault();
    });
    window.addEventListener("hashchange", fromAddress);
  }

  async function copy(element) {
    getSelection().selectAllChildren(element);
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      return document.execCommand("copy"); // where there is no clipboard, as on file://
    }
  }

  function fromAddress() {
    if (location.hash.startsWith("#j=")) openLink(...location.hash.slice(3).split(/(?=&)/));
    if (!location.hash.startsWith("#q=")) return;
    try {
      ask(decodeURIComponent(location.hash.slice(3)).slice(0, MAX_QUESTION));
    } catch {
      trouble("This link holds no question; perhaps a part of it is missing.");
    }
  }

  function about(told) {
    site = told;
    $("about").textContent = `Fracas ${site.version} with Pyodide ${site.pyodide}. Licenses: licenses.txt.`;
    listen();
    fromAddress();
  }

  return { part, about };
})();
