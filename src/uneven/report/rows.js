/* Lists of held-out rows: filtered by list, method, label and answer; sorted; downloaded. */
(() => {
  const block = document.getElementById("row-data");
  const form = document.getElementById("row-controls");
  if (!block || !form) return;
  const data = JSON.parse(block.textContent);
  const at = (id) => document.getElementById(`row-${id}`);
  const [table, said, more, tools] = ["table", "said", "more", "tools"].map(at);
  const PAGE = window.innerWidth < 640 ? 10 : 20;
  const everything = data.number.map((_, i) => i);
  const classOf = (code) => (code < 0 ? "" : data.classes[code]);
  const cell = (column, i) => (Array.isArray(column) ? column[i] : column.values[column.at[i]]);
  const score = (method, value) => {
    if (value === null || value === undefined) return "";
    return data.probable[method] ? `${Math.round(value / 10)} %` : (value / 1000).toFixed(3);
  };
  const plain = (value) => (value === null || value === undefined ? "" : value / 1000);
  let shown = PAGE;
  let order = null;
  let listed = [];
  let columns = [];

  for (const [i, name] of data.methods.entries()) form.elements.method.append(new Option(name, i));

  const state = () => ({
    list: form.elements.list.value,
    method: Number(form.elements.method.value),
    truth: Number(form.elements.truth.value),
    answer: Number(form.elements.answer.value),
  });

  const excess = (m, i) => (data.said[m][i] ?? 0) - (data.own[m][i] ?? 0);

  const choose = ({ list, method, truth, answer }) => {
    const answers = data.answers[method];
    const found = everything.filter((i) =>
      (truth < 0 || data.truth[i] === truth) && (answer < 0 || answers[i] === answer) &&
      (list !== "mistakes" || (answers[i] >= 0 && answers[i] !== data.truth[i])) &&
      (list !== "doubt" || (data.likely[i] >= 0 && data.likely[i] !== data.truth[i])));
    const key = {
      mistakes: (i) => excess(method, i),
      doubt: (i) => data.doubt[i] ?? -1,
      all: (i) => data.said[method][i] ?? -1,
    }[list];
    return found.sort((a, b) => key(b) - key(a) || a - b);
  };

  /* How many such rows there are, in the page or not; null if nobody counted. */
  const total = ({ list, method, truth, answer }) => {
    if (list === "doubt") return null;
    const k = data.classes.length;
    return data.counts[method].reduce((sum, n, place) => {
      const [t, a] = [Math.floor(place / k), place % k];
      const fits = (truth < 0 || t === truth) && (answer < 0 || a === answer);
      return fits && (list !== "mistakes" || t !== a) ? sum + n : sum;
    }, 0);
  };

  const describe = ({ list, method }) => {
    const made = [{ title: "row", key: (i) => data.number[i], number: true, opens: true }];
    if (data.names) made.push({ title: data.names.title, key: (i) => data.names.cells[i] });
    made.push({ title: "label", key: (i) => classOf(data.truth[i]) });
    if (list === "doubt") {
      made.push({ title: "likely", key: (i) => classOf(data.likely[i]), strong: true });
      made.push({ title: "doubt", key: (i) => plain(data.doubt[i]), number: true,
        show: (i) => `${Math.round(data.doubt[i] / 10)} %` });
    }
    made.push({ title: "prediction", key: (i) => classOf(data.answers[method][i]), judge: method });
    made.push({ title: "score", key: (i) => plain(data.said[method][i]), number: true,
      show: (i) => score(method, data.said[method][i]) });
    made.push({ title: "score of label", key: (i) => plain(data.own[method][i]), number: true,
      show: (i) => score(method, data.own[method][i]) });
    data.columns.forEach((title, c) => made.push({
      title, key: (i) => cell(data.cells[c], i), number: data.numeric[c], cell: true,
    }));
    return made;
  };

  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (a !== "" && b !== "" && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return String(a).localeCompare(String(b));
  };

  const head = (column, place) => {
    const th = document.createElement("th");
    const button = document.createElement("button");
    th.scope = "col";
    th.className = column.number ? "number" : "";
    button.type = "button";
    button.textContent = column.title;
    button.title = column.title;
    if (order && order.place === place) {
      th.setAttribute("aria-sort", order.direction > 0 ? "ascending" : "descending");
    }
    button.addEventListener("click", () => {
      const again = order && order.place === place;
      order = { place, direction: again ? -order.direction : 1 };
      const known = listed.filter((i) => column.key(i) !== "");
      const empty = listed.filter((i) => column.key(i) === "");
      known.sort((a, b) => order.direction * compare(column.key(a), column.key(b)) || a - b);
      listed = known.concat(empty);
      draw();
      table.tHead.rows[0].cells[place].querySelector("button").focus();
    });
    th.append(button);
    return th;
  };

  const opinions = (i, width) => {
    const row = document.createElement("tr");
    const td = document.createElement("td");
    const list = document.createElement("ul");
    td.colSpan = width;
    list.className = "opinions";
    data.methods.forEach((name, m) => {
      const item = document.createElement("li");
      const answer = data.answers[m][i];
      const told = document.createElement(answer === data.truth[i] ? "span" : "b");
      told.textContent = answer < 0 ? "failed" : `${classOf(answer)} ${score(m, data.said[m][i])}`;
      item.append(`${name}: `, told);
      list.append(item);
    });
    row.className = "detail";
    td.append(list);
    row.append(td);
    return row;
  };

  const opener = (i, row) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "opener";
    button.textContent = data.number[i];
    button.setAttribute("aria-expanded", "false");
    button.title = "Predictions of all methods";
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "true";
      if (open) row.nextSibling.remove();
      else row.after(opinions(i, columns.length));
      button.setAttribute("aria-expanded", String(!open));
    });
    return button;
  };

  const line = (i) => {
    const row = document.createElement("tr");
    for (const column of columns) {
      const td = document.createElement(column.opens ? "th" : "td");
      const told = String(column.show ? column.show(i) : column.key(i));
      if (column.number) td.className = "number";
      if (column.opens) {
        td.scope = "row";
        td.append(opener(i, row));
      } else {
        const span = document.createElement("span");
        span.className = "cell";
        span.dir = "auto";
        span.textContent = told;
        if (told.length > 24) span.title = told;
        td.append(span);
      }
      if (column.judge !== undefined && data.answers[column.judge][i] !== data.truth[i]) {
        td.classList.add("mistake");
      }
      if (column.strong) td.classList.add("likely");
      row.append(td);
    }
    return row;
  };

  const draw = () => {
    table.tHead.rows[0].replaceChildren(...columns.map(head));
    table.tBodies[0].replaceChildren(...listed.slice(0, shown).map(line));
    const rest = listed.length - shown;
    more.hidden = rest <= 0;
    more.textContent = `Show ${Math.min(rest, PAGE)} more`;
    tools.hidden = listed.length === 0;
    table.closest(".wide").hidden = listed.length === 0;
  };

  const tell = (chosen) => {
    const all = total(chosen);
    const n = listed.length;
    const what = { mistakes: "mistakes", doubt: "labels that look wrong", all: "rows" }[chosen.list];
    const one = { mistakes: "mistake", doubt: "label that looks wrong", all: "row" }[chosen.list];
    const words = [`${n || "No"} ${n === 1 ? one : what}`];
    if (chosen.list !== "doubt") words.push(`of ${data.methods[chosen.method]}`);
    if (chosen.truth >= 0) words.push(`with label “${classOf(chosen.truth)}”`);
    if (chosen.answer >= 0) words.push(`predicted as “${classOf(chosen.answer)}”`);
    const missing = all !== null && all > n ? ` The page holds ${n} of ${all} such rows.` : "";
    said.textContent = `${words.join(" ")}${n > 1 ? ", most confident first" : ""}.${missing}`;
  };

  const update = () => {
    const chosen = state();
    shown = PAGE;
    order = null;
    listed = choose(chosen);
    columns = describe(chosen);
    tell(chosen);
    draw();
  };

  uneven.showRows = (wanted) => {
    form.elements.list.value = wanted.list;
    for (const key of ["method", "truth", "answer"]) form.elements[key].value = wanted[key];
    update();
    uneven.reveal(document.getElementById("rows"));
    document.getElementById("rows").scrollIntoView();
    said.focus({ preventScroll: true });
  };

  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { shown += PAGE; draw(); });
  document.getElementById("row-csv").addEventListener("click", () => {
    const lines = listed.map((i) => columns.map((column) => column.key(i)));
    uneven.download("rows.csv", [columns.map((column) => column.title), ...lines]);
  });
  document.querySelectorAll("#rows .unscripted").forEach((note) => note.remove());
  form.hidden = false;
  update();
})();
