// Makes simcord's preview the page of Fracas. It runs before simcord's modules do, which then find the page rearranged
// and ask the bot through `fetch` as it is here.
"use strict";

const find = (selector, root = document) => root.querySelector(selector);
const app = {
  away: document.createElement("p"),
  hint: document.createElement("p"),
  input: find("#channel-composer-input"),
  form: find("#channel-composer"),
  timeline: find("#channel-timeline"),
};

function dress() {
  find("#toolbar").setAttribute("aria-label", "Fracas");
  find(".preview-brand").innerHTML = '<img src="/fracas.svg" alt=""><h1>Fracas</h1>';
  const menu = find(".session-menu");
  find("summary", menu).textContent = "Developer";
  const tools = ["messages-toggle", "refresh", "capture-open", "inspector-toggle", "back-activity", "view-action-output"];
  find(".session-menu-popover").prepend(...tools.map((id) => find(`#${id}`)), find("#action-status"));
  find("#preview-shell").classList.add("messages-closed");
  const close = (event) => { if (event.key ? event.key === "Escape" : !menu.contains(event.target)) menu.open = false; };
  document.addEventListener("keydown", close);
  document.addEventListener("click", close);
  app.away.id = "away";
  app.away.setAttribute("role", "status");
  find("#toolbar").after(app.away);
  app.hint.id = "hint";
  app.hint.setAttribute("role", "alert");
  app.form.prepend(app.hint);
}

// ---------------------------------------------------------------------------- a bot that goes away and comes back

function away(sentence) {
  if (app.away.textContent !== sentence) app.away.textContent = sentence;
}

function reload() {
  sessionStorage.setItem("draft", app.input.value);
  location.reload();
  return new Promise(() => {}); // simcord would clear the page
}

const BESIDE = /"kind":"(autocomplete_command|browse_\w+|configure_presentation)"/; // what a form asks while it is filled
const ask = window.fetch.bind(window);
window.fetch = async (path, options = {}) => {
  const opens = path === "/api/pages";
  const speaker = sessionStorage.getItem("speaker");
  let answer;
  try {
    answer = await ask(path, opens && speaker ? { ...options, body: JSON.stringify({ viewer_id: speaker }) } : options);
    if (opens && speaker && answer.status === 400) answer = await ask(path, options);
    if (answer.status === 503) throw new Error("The bot is ending.");
  } catch (error) {
    if (error.name === "AbortError") throw error;
    away("The bot is away. This page picks up again when it is back.");
    if (!opens) throw error;
    return new Promise((resolve) => { setTimeout(() => resolve(window.fetch(path, options)), 1000); });
  }
  if (answer.status === 401) {
    away("This address is out of date. Open the one that Fracas printed when it started.");
    return new Promise(() => {});
  }
  if (answer.status === 410) return reload();
  away("");
  if (path === "/api/action" && !BESIDE.test(options.body)) answer.clone().json().then((result) => say(result.fracas));
  return answer;
};

// ---------------------------------------------------------------------------- lines

const pause = () => new Promise((resolve) => { setTimeout(resolve, 30); });

function type(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// What a refused line lacks: the sentence, and the command's form, filled with what could be read.
async function say(refusal) {
  app.hint.textContent = refusal?.sentence || "";
  if (!refusal?.option) return;
  while (find("#send-message").disabled) await pause(); // simcord is still busy with the line
  type(app.input, `/${refusal.command}`);
  const entries = [...document.querySelectorAll(".command-entry")];
  entries.find((entry) => find("strong", entry).textContent === `/${refusal.command}`)?.click();
  for (const [name, value] of [...Object.entries(refusal.options), [refusal.option, ""]]) {
    await pause();
    const field = await fieldOf(name);
    if (field?.matches("input") && value !== "") type(field, String(value));
  }
  const field = await fieldOf(refusal.option);
  if (refusal.is_file) field?.click();
  for (let tries = 0; tries < 20 && document.activeElement?.dataset.option !== refusal.option; tries += 1) {
    (await fieldOf(refusal.option))?.focus(); // simcord puts it back where it was
    await pause();
  }
}

async function fieldOf(name) {
  const selector = `:is(.command-option-input, .command-file-choose, .command-mention)[data-option="${CSS.escape(name)}"]`;
  if (!find(selector)) {
    find(".command-chip")?.click();
    await pause();
    find(`.command-suggestion[data-value="${CSS.escape(name)}"]`)?.click();
    await pause();
  }
  return find(selector);
}

function keys(event) {
  if (event.key === "Escape") {
    app.hint.textContent = "";
    if (event.target.closest(".command-row") && !find(".command-popup")?.checkVisibility()) find(".command-context-close").click();
  }
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target !== app.input) return;
  const active = find(".command-entry.is-active strong");
  if (active && active.textContent !== app.input.value.trim()) return; // picks the command
  event.preventDefault();
  event.stopImmediatePropagation();
  void submit(app.input.value);
}

async function submit(text) {
  while (find("#send-message").disabled && app.input.value === text) await pause(); // simcord would drop the line
  if (app.input.value === text) app.form.requestSubmit();
}

// ---------------------------------------------------------------------------- presses

// simcord drops a press while it is busy, and one whose message it draws anew before the button is let go.
const held = { button: null, x: 0, y: 0, waits: false };

const buttonAt = (node) => node.closest?.(".channel-message button[data-control-key]");

function hold(event) {
  Object.assign(held, { button: buttonAt(event.target), x: event.clientX, y: event.clientY });
}

function letGo(event) {
  const before = held.button;
  held.button = null;
  const stayed = Math.hypot(event.clientX - held.x, event.clientY - held.y) < 10;
  if (before && !before.isConnected && stayed) void press(before);
}

function pressed(event) {
  const button = buttonAt(event.target);
  if (button?.getAttribute("aria-disabled") !== "true" || button.disabled) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  void press(button);
}

async function press({ dataset, textContent }) {
  if (held.waits) return;
  const found = () => find(`.channel-message button[data-control-key="${CSS.escape(dataset.controlKey)}"]`);
  held.waits = true;
  while (found()?.getAttribute("aria-disabled") === "true" && !found().disabled) await pause();
  held.waits = false;
  if (found()?.textContent === textContent) found().click();
  else app.hint.textContent = "This message has just changed; look again, then press.";
}

// ---------------------------------------------------------------------------- the newest message

// The newest message stays in view until the reader scrolls up; then simcord's button says that there are newer ones.
const reading = { newest: true, top: 0, moved: -Infinity };

function follow(event) {
  if (event && !find("#history-newer").hidden) return; // simcord loads them first
  event?.stopImmediatePropagation();
  reading.newest = true;
  app.timeline.scrollTop = app.timeline.scrollHeight;
  find("#new-messages").hidden = true;
}

function moves(event) {
  const drags = event.type === "pointerdown" && event.target === app.timeline; // its scroll bar
  if (drags || /^(wheel|touchmove)$/.test(event.type) || /^(ArrowUp|PageUp|Home)$/.test(event.key)) reading.moved = performance.now();
}

function scrolled() {
  const { scrollTop, scrollHeight, clientHeight } = app.timeline;
  const isMoving = performance.now() - reading.moved < 1000;
  const isNear = scrollHeight - scrollTop - clientHeight < 40;
  if (isNear) reading.newest = true;
  else if (isMoving && scrollTop < reading.top) reading.newest = false;
  if (!isMoving || !isNear) grown(); // simcord has scrolled
  reading.top = scrollTop;
}

function grown() {
  const twice = (then) => requestAnimationFrame(() => requestAnimationFrame(then)); // after simcord's own scrolling
  twice(() => { if (reading.newest) follow(); });
}

// ---------------------------------------------------------------------------- "in 2 minutes"

const UNITS = [["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const RELATIVE = /^(in|next|this)\b|\bago$|^(now|yesterday|today|tomorrow|last)\b/;
const words = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });

// simcord counts from when it drew a message.
function count() {
  for (const time of document.querySelectorAll("time.discord-timestamp")) {
    if (!RELATIVE.test(time.textContent)) continue;
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) || UNITS.at(-1);
    const said = words.format(Math.round(seconds / size), unit);
    if (said !== time.textContent) time.textContent = said;
  }
}

dress();
setInterval(count, 1000);
document.addEventListener("keydown", keys, true);
document.addEventListener("click", (event) => { if (event.target.matches(".command-context-close")) app.hint.textContent = ""; });
document.addEventListener("pointerdown", hold, true);
document.addEventListener("pointerup", letGo, true);
document.addEventListener("click", pressed, true);
app.form.addEventListener("submit", () => follow(), true);
document.addEventListener("input", ({ isTrusted, target }) => { // another line, or what was asked for
  if (isTrusted || target.type === "file") app.hint.textContent = "";
});
find("#new-messages").addEventListener("click", follow, true);
app.timeline.addEventListener("scroll", scrolled, { passive: true });
for (const move of ["wheel", "touchmove", "pointerdown", "keydown"]) app.timeline.addEventListener(move, moves, { passive: true });
matchMedia("(max-width: 760px)").addEventListener("change", ({ matches }) => { // simcord opens its list of messages on a wide page
  if (matches) return;
  find("#preview-shell").classList.add("messages-closed");
  window.dispatchEvent(new Event("resize"));
});
const growth = new ResizeObserver(grown);
growth.observe(app.timeline);
growth.observe(find("#channel-message-list"));
// What these controls may not have, and must; their text says the same, and simcord's list is announced by its active item.
const NEEDLESS = [[".select-trigger", "aria-valuetext"], ["textarea", "aria-expanded"]];
new MutationObserver(() => {
  for (const [what, name] of NEEDLESS) document.querySelectorAll(`${what}[${name}]`).forEach((each) => each.removeAttribute(name));
  document.querySelectorAll("input[role=combobox]:not([aria-expanded])").forEach((each) => each.setAttribute("aria-expanded", "false"));
}).observe(document.body, { subtree: true, childList: true, attributeFilter: NEEDLESS.map(([, name]) => name) });
new MutationObserver((_, once) => { // simcord has set up its composer
  once.disconnect();
  type(app.input, sessionStorage.getItem("draft") || "");
  sessionStorage.removeItem("draft");
}).observe(app.input, { attributeFilter: ["data-control-key"] });
find("#viewer-picker").addEventListener("change", (event) => sessionStorage.setItem("speaker", event.target.value));
