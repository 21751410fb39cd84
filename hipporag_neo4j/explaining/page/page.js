"use strict";
// Draws what stands in #data. Text is only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const PALETTE = ["#b4530a", "#8a5fa8", "#c2930e", "#2f8f83", "#a8435a", "#6b7f2a", "#5a62b8", "#7a6a58"];
const LIKE = "#9aa3ab";
const seeds = data.seeds.map((seed) => seed.phrase);
const color = (seed) => (seed === null ? LIKE : PALETTE[Math.max(0, seeds.indexOf(seed)) % PALETTE.length]);
const percent = (share) => (share >= 0.005 || share === 0 ? `${Math.round(100 * share)} %` : "< 1 %");
const named = (passage) => passage.title || passage.id;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function element(tag, parent, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  if (parent) parent.append(made);
  return made;
}

function showHeader() {
  document.getElementById("question").textContent = data.question;
  document.title = `Why: ${data.question}`;
  const from = data.seeds.map((seed) => `${seed.phrase} ${percent(seed.weight)}`).join(", ");
  const about = [`mode ${data.mode}`, `graph version ${data.version}`];
  if (from) about.unshift(`Walk from ${from}`);
  document.getElementById("about").textContent = about.join(" · ");
  const notice = [data.reason, data.stale && "The graph was written to since the search, or a run broke off."].filter(Boolean).join(" ");
  const place = document.getElementById("notice");
  place.textContent = notice;
  place.hidden = !notice;
}

function showPassages() {
  const list = document.getElementById("list");
  if (!data.passages.length) element("p", list, "No passage was found.");
  for (const passage of data.passages) {
    const card = element("article", list);
    card.dataset.id = passage.id;
    const button = element("button", card);
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    element("div", button, `${passage.rank}  ${named(passage)}`, "title");
    const rank = (found) => found ?? `beyond ${data.compared}`;
    element("div", button,
      `score ${passage.score.toPrecision(3)} · dense ${rank(passage.dense_rank)} · BM25 ${rank(passage.bm25_rank)}`, "figures");
    const bar = element("div", button, undefined, "bar");
    for (const share of passage.shares) {
      const part = element("span", bar);
      part.style.width = `${100 * share.share}%`;
      part.style.background = color(share.seed);
      part.title = `${share.seed ?? "passages like the question"} ${percent(share.share)}`;
    }
    button.addEventListener("click", () => choose(card.classList.contains("chosen") ? null : passage.id));
  }
}

function showDetails(card, passage) {
  const details = element("div", card, undefined, "details");
  const table = element("table", details);
  for (const share of passage.shares) {
    const row = element("tr", table);
    element("td", row, percent(share.share), "share");
    const name = element("td", row);
    element("span", name, undefined, "swatch").style.background = color(share.seed);
    name.append(share.seed ?? "passages like the question");
  }
  const told = new Set();
  for (const path of passage.paths) {
    const line = element("p", details, undefined, "path");
    path.nodes.forEach((node, position) => {
      line.append(node.name);
      const edge = path.edges[position];
      if (edge) element("em", line, said(edge));
    });
    for (const { stated } of path.edges) {
      if (!stated || told.has(stated.sentence)) continue;
      told.add(stated.sentence);
      const quoted = element("blockquote", details, stated.sentence);
      quoted.title = `A guess, from ${stated.title || stated.passage}`;
      if (stated.passage !== passage.id) element("cite", quoted, stated.title || stated.passage);
    }
  }
  element("p", details, passage.text, "text");
}

function said(edge) {
  if (edge.kind === "fact") return edge.reversed ? ` ← ${edge.says} — ` : ` — ${edge.says} → `;
  if (edge.kind === "synonym") return ` ≈ ${edge.says} ≈ `;
  return " · mentioned in · ";
}

function showDropped() {
  const place = document.getElementById("dropped");
  for (const look of data.dropped.filter((look) => look.facts.length)) {
    place.hidden = false;
    element("h2", place, `Facts not kept in look ${look.look}: ${look.facts.length}`);
    element("p", place, look.why);
    const list = element("ul", place);
    for (const fact of look.facts) element("li", list, `${fact.subject} ${fact.predicate} ${fact.object} (${fact.score.toFixed(2)})`);
  }
}

// The graph: seeds to the left, passages to the right, what lies between them in between.
function graphElements() {
  const nodes = new Map(), edges = new Map();
  const node = (kind, id, label, column) => {
    const key = `${kind}:${id}`;
    const known = nodes.get(key);
    if (!known) nodes.set(key, { data: { id: key, label, kind }, column });
    else known.column = Math.max(known.column, column);
    return key;
  };
  const reached = new Set(data.passages.flatMap((passage) => passage.paths.map((path) => path.nodes[0].id)));
  for (const seed of seeds) if (reached.has(seed)) node("phrase", seed, seed, 0);
  for (const passage of data.passages) {
    for (const path of passage.paths) {
      const keys = path.nodes.map((one, at) => node(one.kind, one.id, one.name, at === path.nodes.length - 1 ? 99 : at));
      path.edges.forEach((edge, at) => {
        const ends = edge.reversed ? [keys[at + 1], keys[at]] : [keys[at], keys[at + 1]];
        const key = `${edge.kind}:${ends.join(">")}:${edge.says}`;
        const known = edges.get(key) ?? { data: { id: key, source: ends[0], target: ends[1], kind: edge.kind,
          label: edge.kind === "fact" ? edge.says : "" }, of: new Set() };
        known.of.add(passage.id);
        edges.set(key, known);
      });
    }
    node("passage", passage.id, `${passage.rank}  ${named(passage)}`, 99);
    nodes.get(`passage:${passage.id}`).data.label = `${passage.rank}  ${named(passage)}`;
  }
  for (const seed of seeds) { const one = nodes.get(`phrase:${seed}`); if (one) { one.data.seed = true; one.data.color = color(seed); one.column = 0; } }
  return [nodes, edges];
}

function place(nodes, edges) {
  const found = [...nodes.values()];
  const inner = Math.max(0, ...found.filter((one) => one.column < 99).map((one) => one.column));
  for (const one of found) if (one.column === 99) one.column = inner + 1;
  const row = new Map();
  found.filter((one) => one.column === inner + 1).forEach((one, at) => row.set(one.data.id, at));
  for (let column = inner; column >= 0; column -= 1) {
    const here = found.filter((one) => one.column === column);
    const middle = (one) => {
      const near = [...edges.values()].flatMap(({ data: edge }) =>
        edge.source === one.data.id ? [edge.target] : edge.target === one.data.id ? [edge.source] : []);
      const rows = near.filter((id) => row.has(id)).map((id) => row.get(id));
      return rows.length ? rows.reduce((sum, at) => sum + at, 0) / rows.length : 0;
    };
    const ordered = here.map((one) => [middle(one), one]).sort((a, b) => a[0] - b[0]);
    const height = Math.max(1, data.passages.length - 1);
    ordered.forEach(([, one], at) => row.set(one.data.id, ordered.length === 1 ? ordered[0][0] : (at * height) / (ordered.length - 1)));
  }
  for (const one of found) one.position = { x: one.column * 300, y: row.get(one.data.id) * 74 };
}

let picture;
function draw() {
  const [nodes, edges] = graphElements();
  place(nodes, edges);
  const ink = style("--ink"), dim = style("--dim"), card = style("--card");
  const base = { label: "data(label)", color: ink, "font-size": 15, "text-wrap": "wrap", "text-max-width": 170, width: 16, height: 16 };
  picture = cytoscape({
    container: document.getElementById("graph"),
    elements: [...[...nodes.values()].map(({ data: one, position }) => ({ group: "nodes", data: one, position })),
      ...[...edges.values()].map(({ data: one }) => ({ group: "edges", data: one }))],
    layout: { name: "preset", padding: 40 },
    minZoom: 0.2, maxZoom: 2.5,
    style: [
      { selector: "node", style: { ...base, "background-color": style("--phrase"), "text-valign": "top", "text-margin-y": -4 } },
      { selector: "node[?seed]", style: { "background-color": "data(color)", width: 22, height: 22, "font-weight": 600 } },
      { selector: "node[kind = 'passage']", style: { shape: "round-rectangle", "background-color": style("--passage"), width: 20, height: 20,
        "text-valign": "center", "text-halign": "right", "text-margin-x": 6, "text-margin-y": 0 } },
      { selector: "edge", style: { width: 2, "line-color": style("--phrase"), "target-arrow-color": style("--phrase"), "curve-style": "bezier",
        label: "data(label)", color: dim, "font-size": 13, "text-background-color": card, "text-background-opacity": 0.9,
        "text-background-padding": 2, "text-wrap": "wrap", "text-max-width": 130 } },
      { selector: "edge[kind = 'fact']", style: { "target-arrow-shape": "triangle" } },
      { selector: "edge[kind = 'synonym']", style: { "line-style": "dashed" } },
      { selector: "edge[kind = 'mention']", style: { width: 1.2, "line-color": dim } },
      { selector: ".faded", style: { opacity: 0.14 } },
    ],
  });
  picture.on("tap", "node[kind = 'passage']", (event) => {
    const id = event.target.id().slice("passage:".length);
    if (data.passages.some((passage) => passage.id === id)) choose(id);
  });
  picture.on("tap", (event) => { if (event.target === picture) choose(null); });
  picture.ready(() => picture.fit(undefined, 40));
  window.drawn = { picture, of: edges };
}

function choose(id) {
  for (const card of document.querySelectorAll("#list article")) {
    const chosen = card.dataset.id === id;
    card.classList.toggle("chosen", chosen);
    card.querySelector("button").setAttribute("aria-expanded", String(chosen));
    card.querySelector(".details")?.remove();
    if (chosen) {
      showDetails(card, data.passages.find((passage) => passage.id === id));
      card.scrollIntoView({ block: "nearest" });
    }
  }
  const kept = new Set(id === null ? [] : [`passage:${id}`]);
  for (const edge of window.drawn.of.values()) {
    if (edge.of.has(id)) [edge.data.id, edge.data.source, edge.data.target].forEach((key) => kept.add(key));
  }
  picture.elements().forEach((one) => { one.toggleClass("faded", id !== null && !kept.has(one.id())); });
}

showHeader();
showPassages();
showDropped();
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { picture.destroy(); draw(); });
