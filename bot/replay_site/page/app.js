"use strict";
// What a file holds is only ever text here: nothing of it becomes markup.

const Fracas = (() => {
  const $ = (id) => document.getElementById(id);
  const MAX_FILE = 64 << 20;
  const MAX_LINK = 1 << 20;
  const STEP_MS = 1600;
  const MARKS = { good: ["✓", "follows"], bad: ["✗", "doesn't follow"], unchecked: ["", "not checked"] };

  let site = null; // what the builder tells of the site
  let given = null; // how to hand over the part that is loading
  let worker = null; // a promise of the worker
  let number = 0; // of the battle that is open
  let battle = null; // its head
  let rows = [];
  let at = 0; // the row that is shown, from 1
  let timer = null;
  let cardAddress = null;
  let drawing = false;
  let chances = []; // pairs of a row and the chances of seats after it

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
    [battle, rows, at, drawing, chances] = [null, [], 0, false, []];
    $("chances").hidden = true;
    $("battle").hidden = true;
    trouble(null);
    return number;
  }

  async function open(what) {
    const mine = close();
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
    });
  }

  function openText(text) {
    const link = /#j=([\w-]*)\s*$/.exec(text.slice(-MAX_LINK));
    return link ? openLink(link[1]) : openFile(new Blob([text.trim(), "\n"]));
  }

  function openLink(fragment) {
    return open(async () => {
      try {
        const bytes = await unpacked(fragment.replaceAll("-", "+").replaceAll("_", "/"), "deflate-raw", MAX_LINK);
        return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
      } catch {
        throw new Error("This link holds no battle; perhaps a part of it is missing.");
      }
    });
  }

  const answers = {
    opened(answer) {
      if (answer.error) return trouble(answer.error);
      battle = answer;
      $("title").textContent = site.titles[answer.system] ?? answer.system;
      $("ending").textContent = answer.ending;
      const short = document.createElement("b");
      short.textContent = answer.lastHash.slice(0, 16);
      $("last-hash").replaceChildren(short, answer.lastHash.slice(16));
      $("seed-hash").textContent = answer.seedHash;
      $("seed").textContent = answer.seed ?? "";
      $("seed-line").hidden = answer.seed === null;
      $("seats").replaceChildren(...answer.seats.map(([seat, steps]) => textOf("li", `${capital(seat)}: ${steps}`)));
      $("who").hidden = !answer.seats.length;
      $("rows").replaceChildren();
      $("slider").max = answer.rows;
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
      }
      if (!answer.done) return;
      progress(null);
      if (battle.verdict.row) show(Math.min(battle.verdict.row, rows.length));
      else if (!at && rows.length) show(1);
    },
    card({ row, svg, alt }) {
      drawing = false;
      if (row !== at) return draw();
      URL.revokeObjectURL(cardAddress);
      cardAddress = svg && URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      $("card").hidden = !svg;
      if (svg) $("card").src = cardAddress;
      $("card").alt = alt ?? "";
    },
    chances({ row, seats }) {
      if (!seats) return;
      chances.push([row, seats]);
      chart();
    },
    failed({ doing }) {
      drawing = false;
      if (doing === "card") $("card").hidden = true;
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
  }

  function add(found) {
    const made = document.createDocumentFragment();
    for (const row of found) {
      rows.push(row);
      const kind = row.n === battle.verdict?.row && row.unchecked ? "bad" : row.unchecked ? "unchecked" : "good";
      const [sign, words] = MARKS[kind];
      const mark = textOf("span", sign, `mark ${kind}`);
      mark.title = words;
      const button = document.createElement("button");
      button.append(textOf("span", rows.length, "n"), textOf("span", `${capital(row.seat)}: ${row.title}`), mark);
      button.dataset.row = rows.length;
      const item = document.createElement("li");
      item.append(button);
      made.append(item);
    }
    $("rows").append(made);
    if (!at) show(1);
    else place();
  }

  function place() {
    $("place").textContent = battle ? `${at.toLocaleString("en")} of ${battle.rows.toLocaleString("en")}` : "";
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", `Row ${at} of ${battle?.rows}`);
    $("previous").disabled = at <= 1;
    $("next").disabled = at >= rows.length;
    $("play").textContent = timer ? "Pause" : "Play";
  }

  function show(row) {
    $("rows").children[at - 1]?.firstChild.removeAttribute("aria-current");
    at = Math.max(Math.min(row, rows.length), Math.min(1, rows.length));
    place();
    const view = rows[at - 1];
    $("row-title").textContent = view ? `Row ${view.n}. ${capital(view.seat)}: ${view.title}` : "";
    $("lines").replaceChildren(...(view?.lines ?? []).map((line) => textOf("p", line)));
    $("lines").scrollTop = 0;
    if (!view) return void ($("card").hidden = true);
    const button = $("rows").children[at - 1].firstChild;
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
    const seats = [...new Set(chances.flatMap(([, found]) => Object.keys(found)))].slice(0, 2);
    const unsure = chances.some(([, found]) => seats.some((seat) => found[seat] > 0 && found[seat] < 1));
    $("chances").hidden = !unsure;
    if (!unsure) return;
    const svg = (tag, attributes) => {
      const made = document.createElementNS("http" + "://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      return made;
    };
    const x = (row) => (800 * row) / battle.rows;
    const y = (share) => 10 + 200 * (1 - share);
    const drawn = svg("svg", { viewBox: "-6 0 812 222", role: "img", "aria-label": "Chances after each row" });
    for (const share of [0, 0.5, 1]) {
      drawn.append(svg("line", { x1: 0, x2: 800, y1: y(share), y2: y(share), class: "grid" }));
    }
    const legend = document.createElement("p");
    for (const [index, seat] of seats.entries()) {
      const points = chances.map(([row, found]) => `${x(row).toFixed(1)},${y(found[seat] ?? 0).toFixed(1)}`);
      drawn.append(svg("polyline", { points: points.join(" "), class: `line seat${index}` }));
      const last = chances.findLast(([row]) => row <= at)?.[1] ?? chances[0][1];
      legend.append(textOf("span", `${capital(seat)} ${Math.round(100 * (last[seat] ?? 0))}%`, `seat${index}`), " ");
    }
    drawn.append(svg("line", { x1: x(at), x2: x(at), y1: 0, y2: 222, class: "here" }));
    $("chart").replaceChildren(legend, drawn);
  }

  async function draw() {
    if (drawing) return; // one at a time: whoever jumps about waits for the last one alone
    drawing = true;
    (await ready()).postMessage({ do: "card", number, row: at });
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    $("play").textContent = "Play";
  }

  function play() {
    if (timer) return pause();
    if (at >= rows.length) show(1);
    const step = () => (at < rows.length ? show(at + 1) : pause());
    timer = setInterval(step, STEP_MS / Number($("speed").value));
    place();
  }

  // ---- what people do

  function listen() {
    const jump = (row) => {
      pause();
      show(row);
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
    $("play").onclick = play;
    $("previous").onclick = () => jump(at - 1);
    $("next").onclick = () => jump(at + 1);
    $("slider").oninput = () => jump(Number($("slider").value));
    $("speed").onchange = () => timer && (pause(), play());
    $("rows").onclick = ({ target }) => {
      const button = target.closest("button");
      if (button) jump(Number(button.dataset.row));
    };
    for (const button of document.querySelectorAll(".copy")) {
      button.onclick = async () => {
        const copied = await copy($(button.dataset.of));
        button.textContent = copied ? "Copied" : "Select and copy it";
        setTimeout(() => (button.textContent = "Copy"), 2000);
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
      if (event.target.closest?.("textarea")) return;
      const text = event.clipboardData.getData("text");
      if (event.clipboardData.files.length) openFile(event.clipboardData.files[0]);
      else if (text) openText(text);
    });
    document.addEventListener("keydown", (event) => {
      if (!battle || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.closest?.("textarea, select, input")) return;
      const keys = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 1, End: rows.length };
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
    if (location.hash.startsWith("#j=")) openLink(location.hash.slice(3));
  }

  function about(told) {
    site = told;
    $("about").textContent = `Fracas ${site.version} with Pyodide ${site.pyodide}. Licences: licences.txt.`;
    listen();
    fromAddress();
  }

  return { part, about };
})();
