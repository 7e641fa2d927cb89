"use strict";
/* Tables can be sorted and downloaded; the command can be copied; sections fold on phones. */
const uneven = {};
(() => {
  const folds = () => document.querySelectorAll("details.fold");
  uneven.reveal = (section) => {
    const fold = section && section.querySelector("details.fold");
    if (fold) fold.open = true;
  };
  const follow = () => {
    const section = location.hash && document.getElementById(location.hash.slice(1));
    if (!section) return;
    uneven.reveal(section);
    section.scrollIntoView();
  };
  document.addEventListener("DOMContentLoaded", () => {
    if (matchMedia("(max-width: 640px)").matches) folds().forEach((fold) => { fold.open = false; });
    for (const link of document.querySelectorAll("nav a"))
      link.addEventListener("click", () => uneven.reveal(document.querySelector(link.hash)));
    follow();
  });
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => folds().forEach((fold) => { fold.open = true; }));
})();
(() => {
  const text = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const NUMBER = /^[<]?\s*([-\u2212]?[\d\u202f,]*\.?\d+)\s*(%|\u00d7|x)?(\s*\u00b1.*)?$/;

  const keyOf = (cell) => {
    if (!cell) return null;
    const raw = cell.dataset.value ?? text(cell);
    if (raw === "" || raw === "\u2013") return null;
    if (raw.trim() !== "" && !Number.isNaN(Number(raw))) return Number(raw);
    const found = NUMBER.exec(raw);
    return found ? Number(found[1].replace("\u2212", "-").replace(/[\u202f,]/g, "")) : raw;
  };

  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column]) }));
    const known = rows.filter((r) => r.key !== null);
    const unknown = rows.filter((r) => r.key === null);
    known.sort((a, b) => direction * compare(a.key, b.key));
    body.append(...known.concat(unknown).map((r) => r.row));
  };

  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.classList.contains("fixed") || text(head) === "") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending ? -1 : 1);
      });
    });
  };

  /* Cells that a spreadsheet would run as a formula get an apostrophe. */
  uneven.csvCell = (value) => {
    let told = String(value ?? "");
    const number = told.trim() !== "" && !Number.isNaN(Number(told));
    if (!number && /^[=+\-@\t\r]/.test(told)) told = `'${told}`;
    return /[",\n\r]/.test(told) ? `"${told.replace(/"/g, '""')}"` : told;
  };

  uneven.save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  uneven.download = (name, rows) => {
    const lines = rows.map((row) => row.map(uneven.csvCell).join(","));
    const type = "text/csv";
    uneven.save(new Blob(["\ufeff", lines.join("\r\n"), "\r\n"], { type }), name);
  };

  const number = (cell) => typeof keyOf(cell) === "number" && cell.tagName === "TD";
  const content = (cell) => (number(cell) ? keyOf(cell) : cell.dataset.value || text(cell));
  const drawn = (cell) => cell.matches(".folds") || cell.querySelector(".ends") !== null;
  const names = new Map();

  const downloadable = (table) => {
    const key = table.closest("section")?.id ?? "table";
    names.set(key, (names.get(key) ?? 0) + 1);
    const name = names.get(key) > 1 ? `${key}-${names.get(key)}.csv` : `${key}.csv`;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet csv";
    button.textContent = "CSV";
    const caption = table.caption ? ` of “${text(table.caption)}”` : "";
    button.setAttribute("aria-label", `Download the table${caption} as ${name}`);
    button.title = `Download as ${name}`;
    button.addEventListener("click", () => {
      const rows = [...table.tHead.rows, ...table.tBodies[0].rows];
      const told = (row) => [...row.cells].filter((cell) => !drawn(cell)).map(content);
      uneven.download(name, rows.map(told));
    });
    (table.closest(".wide") ?? table).after(button);
  };

  for (const table of document.querySelectorAll("main.tools table, table.sortable")) {
    if (!table.tHead || !table.tBodies.length || table.classList.contains("live")) continue;
    if (table.tBodies[0].rows.length > 1) sortable(table);
    downloadable(table);
  }

  const command = document.getElementById("command");
  if (command && navigator.clipboard) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(command.textContent).then(
        () => { button.textContent = "Copied"; },
        () => { button.textContent = "Not allowed"; },
      );
    });
    command.closest(".command").append(button);
  }

  window.addEventListener("beforeprint", () => {
    for (const block of document.querySelectorAll("details")) block.open = true;
  });
})();
