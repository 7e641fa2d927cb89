/* Two confusion matrices side by side, chosen by menus; their cells lead to rows. */
(() => {
  const option = (figure, i) => new Option(figure.dataset.label, i);

  const menu = (word, figures, chosen) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.append(...figures.map(option));
    select.value = chosen;
    label.append(`${word} `, select);
    return { label, select };
  };

  for (const pair of document.querySelectorAll(".pair")) {
    const front = pair.querySelector(".matrices");
    const others = pair.querySelector(".others");
    const figures = [...pair.querySelectorAll("figure")];
    if (figures.length < 3) continue;
    const back = others.querySelector(".matrices");
    const left = menu("Compare", figures, 0);
    const right = menu("with", figures, 1);
    const show = () => {
      const chosen = [...new Set([Number(left.select.value), Number(right.select.value)])];
      back.replaceChildren(...figures.filter((_, i) => !chosen.includes(i)));
      front.replaceChildren(...chosen.map((i) => figures[i]));
    };
    const controls = document.createElement("div");
    controls.className = "controls";
    controls.append(left.label, right.label);
    controls.addEventListener("change", show);
    others.hidden = true;
    pair.prepend(controls);
  }

  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  /* The nearest cell in a direction: straight ahead counts most. */
  const neighbour = (cells, from, [down, across]) => {
    const [r, c] = from.dataset.cell.split(" ").map(Number);
    let best = null;
    let least = Infinity;
    for (const cell of cells) {
      const [y, x] = cell.dataset.cell.split(" ").map(Number);
      const ahead = (y - r) * down + (x - c) * across;
      const aside = Math.abs((y - r) * across) + Math.abs((x - c) * down);
      if (ahead > 0 && ahead + 3 * aside < least) [best, least] = [cell, ahead + 3 * aside];
    }
    return best;
  };

  for (const figure of document.querySelectorAll("figure[data-method-at]")) {
    if (!document.getElementById("row-data")) break;
    const svg = figure.querySelector(".matrix");
    const cells = [...svg.querySelectorAll("[data-cell]")];
    svg.setAttribute("role", "group");
    svg.classList.add("open");
    const focus = (cell) => {
      cells.forEach((other) => other.setAttribute("tabindex", other === cell ? 0 : -1));
    };
    cells.forEach((cell) => {
      cell.setAttribute("role", "button");
      cell.setAttribute("aria-label", cell.querySelector("title").textContent);
    });
    focus(cells.find((cell) => cell.classList.contains("largest")) ?? cells[0]);
    const open = (cell) => {
      const [truth, answer] = cell.dataset.cell.split(" ").map(Number);
      uneven.showRows({ list: "all", method: Number(figure.dataset.methodAt), truth, answer });
    };
    svg.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell) { focus(cell); open(cell); }
    });
    svg.addEventListener("keydown", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (!cell) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open(cell);
      } else if (step[event.key]) {
        event.preventDefault();
        const next = neighbour(cells, cell, step[event.key]);
        if (next) { focus(next); next.focus(); }
      }
    });
  }
})();
