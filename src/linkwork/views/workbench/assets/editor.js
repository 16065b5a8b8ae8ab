// An editor for model files beside a field of the page: line numbers, wrapping, colours, completion, errors at their line.
// It stands in a frame of its own; the field that it writes for (its id is FIELD) is in the page around it.
"use strict";
const page = window.parent.document, area = document.querySelector("textarea"), lines = document.querySelector("#lines");
const told = document.querySelector("#told"), list = document.querySelector("#list");
let problems = [], choices = [], chosen = 0, last = null;

const row = () => page.querySelector(`label[for="${FIELD}"]`);
const field = () => { let box = row(); while (box && !box.querySelector("textarea")) box = box.parentElement;
  return box && box.querySelector("textarea"); };
const html = text => text.replace(/[&<>]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;"})[c]);

function send() {
  const own = field();
  last = area.value;
  if (!own || own.value === last) return;
  Object.getOwnPropertyDescriptor(window.parent.HTMLTextAreaElement.prototype, "value").set.call(own, last);
  own.dispatchEvent(new window.parent.Event("input", {bubbles: true}));
}

// Text from outside takes the place of what is here in a way that Ctrl-Z takes back.
function replace(text) {
  const had = document.activeElement === area;
  area.focus({preventScroll: true}); area.select();
  if (!document.execCommand("insertText", false, text)) area.value = text;
  area.setSelectionRange(0, 0); area.scrollTop = 0;
  if (!had) area.blur();
  last = area.value; draw();
}

function coloured(line) {
  const at = line.search(/(^|\s)#/), text = at < 0 ? line : line.slice(0, at), rest = at < 0 ? "" : line.slice(at);
  const words = html(text).replace(/("[^"]*"|'[^']*')|([\w.-]+)(?=\s*:(\s|$))|((?<![\w.])-?\d[\w.]*(?:e[+-]?\d+)?)/gi,
    (all, quoted, key, _, number) => `<span class="${quoted ? "s" : key ? "k" : number ? "d" : ""}">${all}</span>`);
  return words + (rest ? `<span class="c">${html(rest)}</span>` : "");
}

function draw() {
  const wrong = new Map(problems.map(p => [p.line, p.text]));
  lines.innerHTML = area.value.split("\n").map((line, i) =>
    `<div class="l${wrong.has(i + 1) ? " bad" : ""}">${coloured(line) || "&#8203;"}</div>`).join("");
  tell();
}

const here = () => area.value.slice(0, area.selectionStart);
function tell() {
  const line = here().split("\n").length, own = problems.find(p => p.line === line);
  told.textContent = own ? own.text : problems.length ? `${problems.length} problem${problems.length > 1 ? "s" : ""}` : "";
  told.className = own || problems.length ? "bad" : "";
  place.textContent = `line ${line}, column ${here().split("\n").pop().length + 1}`;
}

// Where one writes: the keys above by their indentation, and those of braces that are open on the line.
function path() {
  const all = here().split("\n"), line = all.pop(), keys = [];
  let depth = line.search(/\S|$/);
  for (const above of all.reverse()) {
    const found = above.match(/^(\s*)([\w.'"-]+)\s*:/);
    if (found && found[1].length < depth) { keys.unshift(found[2]); depth = found[1].length; }
  }
  const own = line.match(/^\s*([\w.'"-]+)\s*:\s*(.*)$/), open = (line.match(/\{/g) || []).length > (line.match(/\}/g) || []).length;
  if (own && open) keys.push(own[1]);
  const piece = open ? line.slice(Math.max(line.lastIndexOf("{"), line.lastIndexOf(",")) + 1) : line;
  const inList = /\[[^\]]*$/.test(line);
  return {keys, value: inList || /:\s*[^,{]*$/.test(piece.replace(/^\s*/, "")), word: (line.match(/[\w-]*$/) || [""])[0], open};
}

function wanted() {
  const {keys, value, word} = path();
  if (value) return NAMES().concat(VALUES).filter(n => n !== word && n.startsWith(word));
  const known = WORDS[keys.map((k, i) => i === 1 ? "*" : k).join(".")] || WORDS[keys.slice(0, 1).concat(keys.length > 1 ? ["*"] : []).join(".")] || [];
  return known.filter(n => n !== word && n.startsWith(word));
}

// Names that the text gives: keys of bodies, joints, points and frames.
function NAMES() {
  const found = ["ground"]; let section = "";
  for (const line of area.value.split("\n")) {
    const top = line.match(/^([\w-]+):/), key = line.match(/^ {1,4}([\w-]+):/);
    if (top) { section = top[1];
      if (["bodies", "points", "frames"].includes(section)) found.push(...[...line.slice(top[0].length).matchAll(/([\w-]+):\s*[,{}]/g)].map(m => m[1])); }
    else if (key && ["bodies", "joints", "points", "frames", "let"].includes(section)) found.push(key[1]);
  }
  return [...new Set(found)];
}

function offer(always) {
  const {word} = path();
  choices = always || word.length > 0 ? wanted().slice(0, 40) : [];
  chosen = 0;
  if (!choices.length) { list.hidden = true; return; }
  const at = marker(), box = list.parentElement.getBoundingClientRect();
  list.hidden = false; show();
  list.style.left = `${Math.min(at.left, box.width - list.offsetWidth - 8)}px`;
  const below = at.top + 18;
  list.style.top = `${below + list.offsetHeight > box.height ? Math.max(0, at.top - list.offsetHeight) : below}px`;
}
function show() {
  list.innerHTML = choices.map((c, i) => `<li class="${i === chosen ? "on" : ""}">${html(c)}</li>`).join("");
  const on = list.querySelector(".on"); if (on) on.scrollIntoView({block: "nearest"});
}
function take() {
  const {word, value} = path(), text = choices[chosen];
  list.hidden = true;
  area.setSelectionRange(area.selectionStart - word.length, area.selectionStart);
  document.execCommand("insertText", false, text + (value ? "" : ": "));
}
// Where the caret is, by a mark in the picture of the lines.
function marker() {
  const n = here().split("\n").length - 1, line = lines.children[n], range = document.createRange();
  let rest = here().split("\n").pop().length, node = null;
  const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  while ((node = walk.nextNode())) { if (rest <= node.length) break; rest -= node.length; }
  if (node) range.setStart(node, Math.min(rest, node.length)); else range.selectNodeContents(line);
  const at = range.getBoundingClientRect(), box = list.parentElement.getBoundingClientRect(), own = line.getBoundingClientRect();
  return {left: (at.left || own.left) - box.left, top: (at.top || own.top) - box.top};
}

area.addEventListener("input", () => { draw(); send(); offer(false); });
area.addEventListener("scroll", () => { lines.style.transform = `translate(${-area.scrollLeft}px,${-area.scrollTop}px)`; list.hidden = true; });
for (const event of ["keyup", "click", "focus"]) area.addEventListener(event, tell);
area.addEventListener("blur", () => setTimeout(() => { list.hidden = true; }, 150));
area.addEventListener("keydown", e => {
  const open = !list.hidden;
  if (open && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
    chosen = (chosen + (e.key === "ArrowDown" ? 1 : choices.length - 1)) % choices.length; show(); e.preventDefault();
  } else if (open && (e.key === "Tab" || e.key === "Enter")) { take(); e.preventDefault();
  } else if (open && e.key === "Escape") { list.hidden = true; e.preventDefault();
  } else if (e.key === " " && (e.ctrlKey || e.metaKey)) { offer(true); e.preventDefault();
  } else if (e.key.toLowerCase() === "s" && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    [...page.querySelectorAll("button")].find(b => b.textContent === SAVE)?.click();
  } else if (e.key === "Enter") {
    const indent = here().split("\n").pop().match(/^\s*/)[0] + (/:\s*$/.test(here()) ? "  " : "");
    if (indent) { document.execCommand("insertText", false, "\n" + indent); e.preventDefault(); }
  } else if (e.key === "Tab" && !e.shiftKey && area.selectionStart === area.selectionEnd && /^\s*$/.test(here().split("\n").pop())) {
    document.execCommand("insertText", false, "  "); e.preventDefault();
  }
});
list.addEventListener("mousedown", e => {
  const i = [...list.children].indexOf(e.target.closest("li"));
  if (i >= 0) { chosen = i; take(); }
  e.preventDefault();
});
document.querySelector("#undo").onclick = () => { area.focus(); document.execCommand("undo"); };
document.querySelector("#redo").onclick = () => { area.focus(); document.execCommand("redo"); };
document.querySelector("#wrap").onchange = e => { document.body.classList.toggle("nowrap", !e.target.checked); draw(); };
told.onclick = () => {
  const first = problems.find(p => p.line);
  if (!first) return;
  const at = area.value.split("\n").slice(0, first.line - 1).join("\n").length + (first.line > 1 ? 1 : 0);
  area.focus(); area.setSelectionRange(at, at);
  area.scrollTop = Math.max(0, lines.children[first.line - 1].offsetTop - 40); tell();
};

// What the page says: its colours, the problems, and text that came from elsewhere.
setInterval(() => {
  document.documentElement.dataset.scheme = page.documentElement.dataset.mantineColorScheme || "light";
  const own = field(), now = page.querySelector(`[data-problems-of="${FIELD}"]`)?.dataset.problems || "[]";
  if (own && own.value !== last && own !== page.activeElement) replace(own.value);
  if (own) { own.tabIndex = -1; own.ariaHidden = "true"; }
  if (now !== JSON.stringify(problems)) { problems = JSON.parse(now); draw(); }
}, 150);
document.documentElement.dataset.ready = "true";
