"use strict";
(() => {
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const raw = cell.dataset.value ?? cell.textContent.trim();
    const number = Number(raw);
    return raw === "" ? null : Number.isNaN(number) ? raw : number;
  };

  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
    const known = rows.filter((r) => r.key !== null);
    const unknown = rows.filter((r) => r.key === null);
    known.sort((a, b) => direction * compare(a.key, b.key));
    body.append(...known.concat(unknown).map((r) => r.row));
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.classList.contains("fixed")) return;
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
