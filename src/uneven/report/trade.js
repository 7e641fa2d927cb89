/* A slider that trades the recall of one class against the others. */
(() => {
  const block = document.getElementById("trade-data");
  const form = document.getElementById("trade-controls");
  if (!block || !form) return;
  const data = JSON.parse(block.textContent);
  const at = (id) => document.getElementById(`trade-${id}`);
  const percent = (v) => `${Math.round(v / 10)} %`;
  const slider = form.elements.position;

  const make = (name, attributes = {}, ...children) => {
    const svg = ["svg", "line", "polyline", "text", "circle"].includes(name);
    const element = svg
      ? document.createElementNS("http" + "://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const known = (recalls) => recalls.filter((v) => v !== null); // null: no row was held out
  const mean = (recalls, leave) => {
    const others = known(recalls.filter((_, c) => c !== leave));
    return others.reduce((a, b) => a + b, 0) / others.length;
  };

  const [LEFT, RIGHT, TOP, BOTTOM] = [36, 350, 10, 180];

  const chart = (found, code, position) => {
    const n = found.factors.length;
    const x = (p) => LEFT + ((RIGHT - LEFT) * p) / (n - 1);
    const y = (v) => BOTTOM - ((BOTTOM - TOP) * v) / 1000;
    const lines = [
      ["s1", found.recalls.map((r) => r[code])],
      ["s0", found.recalls.map((r) => mean(r, code))],
      ["s5", found.accuracy],
    ];
    const svg = make("svg", { class: "chart", viewBox: "0 0 360 206", role: "img",
      "aria-label": "Recall of the class, mean recall of the others and accuracy by factor" });
    for (const tick of [0, 250, 500, 750, 1000]) {
      svg.append(make("line", { x1: LEFT, x2: RIGHT, y1: y(tick), y2: y(tick), class: "gridline" }));
      svg.append(make("text", { x: LEFT - 6, y: y(tick), class: "tick-y" }, String(tick / 10)));
    }
    for (const p of [0, data.zero, n - 1]) {
      const word = `× ${Number(found.factors[p].toPrecision(2))}`;
      const css = p === 0 ? "tick-x first" : p === n - 1 ? "tick-x last" : "tick-x";
      svg.append(make("text", { x: x(p), y: BOTTOM + 15, class: css }, p === data.zero ? "as it is" : word));
    }
    svg.append(make("line", { x1: x(data.zero), x2: x(data.zero), y1: TOP, y2: BOTTOM, class: "rail" }));
    svg.append(make("line", { x1: x(position), x2: x(position), y1: TOP, y2: BOTTOM, class: "pick" }));
    for (const [css, values] of lines) {
      const points = values.map((v, p) => `${x(p).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
      svg.append(make("polyline", { points, class: `line ${css}` }));
      svg.append(make("circle", { cx: x(position), cy: y(values[position]), r: 3.5, class: `dot ${css}` }));
    }
    const names = [["s1", `recall of ${data.classes[code]}`], ["s0", "mean recall of the others"], ["s5", "accuracy"]];
    const legend = make("ul", { class: "legend" });
    for (const [css, name] of names) {
      legend.append(make("li", {}, make("span", { class: `key ${css}`, "aria-hidden": "true" }), name));
    }
    return [legend, svg];
  };

  const change = (now, before) => {
    const gain = Math.round(now / 10) - Math.round(before / 10);
    return gain === 0 ? "" : `${gain > 0 ? "+" : "−"}${Math.abs(gain)}`;
  };

  const bars = (found, code, position) => {
    const body = make("tbody");
    found.recalls[position].forEach((now, c) => {
      const before = found.recalls[data.zero][c];
      const bar = make("span", { class: c === code ? "bar rare" : "bar", "aria-hidden": "true" });
      bar.style.setProperty("--v", now / 1000);
      const difference = change(now, before);
      body.append(make("tr", {},
        make("th", { scope: "row" }, make("span", { class: "name", title: data.classes[c] }, data.classes[c])),
        make("td", { class: "number" }, now === null ? "–" : percent(now)),
        make("td", { class: `number change${difference.startsWith("−") ? " worse" : ""}` }, difference),
        make("td", { class: "bar-cell" }, now === null ? "" : bar)));
    });
    const heads = [["class", ""], ["recall", "number"], ["change", "number"], ["", ""]];
    const row = make("tr", {}, ...heads.map(([word, css]) => make("th", { scope: "col", class: css }, word)));
    return make("table", { class: "sizes" }, make("thead", {}, row), body);
  };

  const tile = (name, now, before, show) => {
    const small = now === before ? "as it is" : `instead of ${show(before)}`;
    return make("div", {}, make("dt", {}, name), make("dd", {}, show(now), make("small", {}, small)));
  };

  const update = () => {
    const method = data.methods[Number(form.elements.method.value)];
    const code = Number(form.elements.class.value);
    const found = method.classes[code];
    const position = Number(slider.value);
    const thousandths = (v) => (v / 1000).toFixed(3);
    const figures = [
      tile(`recall of ${data.classes[code]}`, found.recalls[position][code], found.recalls[data.zero][code], percent),
      tile("accuracy", found.accuracy[position], found.accuracy[data.zero], (v) => `${(v / 10).toFixed(1)} %`),
      tile("worst recall", Math.min(...known(found.recalls[position])), Math.min(...known(found.recalls[data.zero])), percent),
      tile("confusion norm", found.norm[position], found.norm[data.zero], thousandths),
    ];
    if (found.cost) {
      figures.push(tile("cost per row", found.cost[position], found.cost[data.zero], (v) => v.toPrecision(3)));
    }
    at("figures").replaceChildren(...figures);
    at("chart").replaceChildren(...chart(found, code, position));
    at("recalls").replaceChildren(bars(found, code, position));
    const factor = found.factors[position];
    const told = position === data.zero
      ? `Predictions of ${method.label}, unchanged.`
      : `Scores of “${data.classes[code]}” times ${Number(factor.toPrecision(3))}.`;
    at("said").textContent = told;
    slider.setAttribute("aria-valuetext", told);
  };

  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.class.addEventListener("change", () => { slider.value = data.zero; update(); });
  form.elements.reset.addEventListener("click", () => { slider.value = data.zero; update(); });
  document.querySelectorAll("#trade .unscripted").forEach((note) => note.remove());
  form.hidden = false;
  update();
  at("chart").after(uneven.pictureButton(() => at("chart").querySelector("svg"), "trade-off"));
})();
