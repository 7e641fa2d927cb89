"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const work = at("work");
  const meta = (name) => document.querySelector(`meta[name=${name}]`).content;
  const PENDING = `uneven-pending-${meta("person")}`;
  const COMMENT = "uneven-comment";
  const UNSEEN = 450; // milliseconds in which a second click belongs to a double click
  let busy = false;
  let shownAt = performance.now();
  let statusAt = 0;

  if (location.search.includes("token=")) history.replaceState(null, "", location.pathname);

  const say = (text) => { at("said").textContent = text; };
  const warn = (text) => {
    at("banner").textContent = text.charAt(0).toUpperCase() + text.slice(1);
    at("banner").hidden = !text;
  };
  const newKey = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
  const readJson = (text) => { try { return JSON.parse(text); } catch { return null; } };
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  const pending = () => JSON.parse(sessionStorage.getItem(PENDING) || "[]");
  const forget = (key) => {
    const left = pending().filter((one) => one.body.key !== key);
    if (left.length) sessionStorage.setItem(PENDING, JSON.stringify(left));
    else sessionStorage.removeItem(PENDING);
  };
  const remember = (path, body) => {
    const others = pending().filter((one) => one.body.key !== body.key);
    sessionStorage.setItem(PENDING, JSON.stringify([...others, { path, body }]));
  };

  // A write is repeated under the same key until the server says that it is saved. One that is not
  // let in waits in this tab until its person is.
  const write = async (path, body) => {
    remember(path, body);
    for (let wait = 500; ; wait = Math.min(2 * wait, 8000)) {
      let answer = null;
      try {
        answer = await fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Write-Token": meta("write-token") },
          body: JSON.stringify(body),
        });
      } catch {
        warn("Not saved yet: the server does not answer. It is tried again; leave this page open.");
      }
      if (answer) {
        const { status, ok } = answer;
        const text = await answer.text().catch(() => "");
        const told = readJson(text) || { said: text };
        if (status === 403) {
          warn(`Not saved yet: ${told.said} What you said is sent as soon as you are in again in this tab.`);
          return { ok, status, told };
        }
        if (status < 500 && (!ok || "said" in told)) {
          forget(body.key);
          warn(ok ? told.warning || "" : told.said);
          return { ok, status, told };
        }
        warn(`${told.said || "The server failed."} It is tried again; leave this page open.`);
      }
      await pause(wait);
    }
  };

  const refreshStatus = async () => {
    if (!at("status") || performance.now() - statusAt < 1500) return;
    statusAt = performance.now();
    const answer = await fetch("/status").catch(() => null);
    if (!answer || !answer.ok) return;
    const panel = at("status");
    const text = await answer.text();
    if (panel.contains(document.activeElement)) return; // somebody is reading there
    const open = panel.querySelector("details")?.open;
    panel.innerHTML = text;
    const notes = panel.querySelector("details");
    if (notes && open) notes.open = true;
  };

  const show = (told) => {
    if (!("card" in told)) return;
    at("card").innerHTML = told.card;
    at("choices").innerHTML = told.choices;
    work.dataset.row = told.row ?? "";
    work.dataset.seen = told.seen;
    work.dataset.asked = told.asked;
    at("guess").hidden = at("comment-box").hidden = at("class-form").hidden = true;
    at("guess").replaceChildren();
    at("comment").value = "";
    at("do-doubt").setAttribute("aria-pressed", "false");
    shownAt = performance.now();
    if (location.search) history.replaceState(null, "", "/");
    at("card").querySelector(".card")?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };

  const perform = async (path, body) => {
    if (busy) return null;
    busy = true;
    try {
      const result = await write(path, body);
      say(result.ok ? result.told.said : "");
      if (result.ok) show(result.told);
      else if (result.status === 409) {
        const { row, comment } = body;
        if (comment) sessionStorage.setItem(COMMENT, JSON.stringify({ row, comment }));
        setTimeout(() => { location.href = `/?row=${row}`; }, 2500);
      }
      refreshStatus();
      return result;
    } finally {
      busy = false;
    }
  };

  const answer = (kind, label = "") => {
    if (!work || work.dataset.row === "" || busy) return null;
    return perform("/answer", {
      key: newKey(),
      row: Number(work.dataset.row),
      kind,
      label,
      comment: at("comment").value,
      sure: at("do-doubt").getAttribute("aria-pressed") !== "true",
      seconds: Math.min((performance.now() - shownAt) / 1000, 86400),
      seen: Number(work.dataset.seen),
      asked: work.dataset.asked,
    });
  };

  const highlight = (words) => {
    const wanted = words.toLowerCase().split(" ").filter(Boolean);
    if (!wanted.length) return;
    for (const text of document.querySelectorAll("#card .text")) {
      const whole = text.textContent;
      if (whole.length > 20000) continue;
      const pieces = whole.split(/([\p{L}\p{N}_]+)/u).map((piece) => {
        if (!wanted.includes(piece.toLowerCase())) return piece;
        const mark = document.createElement("mark");
        mark.textContent = piece;
        return mark;
      });
      text.replaceChildren(...pieces);
    }
  };

  const guess = async () => {
    const box = at("guess");
    const row = work.dataset.row;
    if (row === "") return;
    if (!box.hidden) { box.hidden = true; return; }
    box.hidden = false;
    box.textContent = "The learner is thinking …";
    for (let tries = 0; tries < 60 && !box.hidden && work.dataset.row === row; tries += 1) {
      const found = await fetch(`/guess/${row}`).catch(() => null);
      if (found && found.status === 200) {
        const text = await found.text();
        if (work.dataset.row !== row) return;
        box.innerHTML = text;
        highlight(box.firstElementChild?.dataset.words || "");
        return;
      }
      await pause(400);
    }
    if (work.dataset.row === row) box.textContent = "No guess at the moment.";
  };

  const reveal = (id, field) => {
    at(id).hidden = !at(id).hidden;
    if (!at(id).hidden) at(field).focus();
  };

  const actions = {
    skip: () => answer("skip"),
    unsure: () => answer("unsure"),
    undo: () => perform("/undo", { key: newKey(), event: 0 }),
    guess,
    comment: () => reveal("comment-box", "comment"),
    class: () => reveal("class-form", "new-class"),
    doubt: () => {
      const pressed = at("do-doubt").getAttribute("aria-pressed") === "true";
      at("do-doubt").setAttribute("aria-pressed", String(!pressed));
      say(pressed ? "Sure again." : "This answer counts as not sure.");
    },
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (event.detail > 1 && performance.now() - shownAt < UNSEEN) {
      // The second half of a double click would hit what came in the place of the first.
      say("The second of two quick clicks does not count.");
      return;
    }
    if (button.matches(".choice")) {
      button.classList.add("sent");
      await answer("label", button.dataset.label);
      button.classList.remove("sent");
    } else if (button.dataset.do) {
      actions[button.dataset.do]();
    } else if (button.dataset.all) {
      const all = await fetch(button.dataset.all);
      button.previousElementSibling.textContent = await all.text();
      button.remove();
    } else if (button.dataset.undo) {
      button.disabled = true;
      const done = await write("/undo", { key: newKey(), event: Number(button.dataset.undo) });
      if (done.ok) location.reload();
      button.disabled = false;
    } else if (button.dataset.rule) {
      const { rule, label, seen } = button.dataset;
      const buttons = button.closest("tr").querySelectorAll("button");
      buttons.forEach((one) => { one.disabled = true; });
      const body = { key: newKey(), row: Number(rule), kind: "ruling", label, seen: Number(seen), stay: true };
      const done = await write("/answer", body);
      say(done.ok ? done.told.said : "");
      if (done.ok) location.reload();
      else if (done.status === 409) setTimeout(() => location.reload(), 2500);
      else buttons.forEach((one) => { one.disabled = false; });
    }
  });

  document.addEventListener("keydown", (event) => {
    if (!work || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.key === "Escape") { document.activeElement.blur(); return; }
    if (event.target.matches("input, textarea")) return;
    const key = event.key.toLowerCase();
    const choice = [...document.querySelectorAll(".choice")].find((one) => one.dataset.key === key);
    const other = document.querySelector(`[data-do][aria-keyshortcuts="${CSS.escape(key)}"]`);
    const target = choice || other;
    if (!target) return;
    event.preventDefault();
    target.click();
  });

  const onSubmit = (id, run) => at(id)?.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  onSubmit("class-form", async () => {
    if (busy) return;
    const row = work.dataset.row;
    busy = true;
    const body = { key: newKey(), name: at("new-class").value };
    const done = await write("/class", body).finally(() => { busy = false; });
    if (!done.ok) return;
    at("new-class").value = "";
    at("choices").innerHTML = done.told.choices;
    if (work.dataset.row === row) await answer("label", done.told.name);
  });
  onSubmit("name-form", async () => {
    const done = await write("/name", { key: newKey(), name: at("my-name").value });
    if (done.ok) location.reload();
  });

  const sendAgain = async () => {
    const left = pending();
    for (const { path, body } of left) await (work ? perform(path, body) : write(path, body));
    if (!work && left.length && !pending().length) location.reload();
  };
  const comment = readJson(sessionStorage.getItem(COMMENT));
  if (work && comment && String(comment.row) === work.dataset.row) {
    at("comment").value = comment.comment;
    at("comment-box").hidden = false;
    sessionStorage.removeItem(COMMENT);
  }
  sendAgain();
  if (work) setInterval(() => { if (!document.hidden) refreshStatus(); }, 4000);
})();
