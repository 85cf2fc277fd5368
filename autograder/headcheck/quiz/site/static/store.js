// Keeps progress in the browser: for every question its step on the ladder of repetitions, and when it is due.
"use strict";

const Store = (() => {
  const KEY = "headcheck:practice";
  const FORMAT = 1;
  const DAYS = [0, 1, 3, 7, 14, 30];
  const LEARNT = 3;

  let memory = { format: FORMAT, questions: {} };
  let lasting = true;
  let broken = false;

  function today(offset = 0) {
    const day = new Date();
    day.setDate(day.getDate() + offset);
    const two = (number) => String(number).padStart(2, "0");
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  }

  function isProgress(value) {
    const entries = value && value.format === FORMAT && value.questions && typeof value.questions === "object" && Object.values(value.questions);
    return Boolean(entries) && entries.every((entry) => entry && Number.isInteger(entry.box) && entry.box >= 0 && entry.box < DAYS.length
      && /^\d{4}-\d{2}-\d{2}$/.test(entry.due) && Number.isInteger(entry.seen) && Number.isInteger(entry.right));
  }

  function read() {
    let text = null;
    try {
      text = localStorage.getItem(KEY);
    } catch {
      lasting = false;
    }
    if (text === null) return memory;
    const value = parsed(text);
    if (isProgress(value)) return value;
    setAside(text);
    return memory;
  }

  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }

  function setAside(text) {
    broken = true;
    localStorage.setItem(`${KEY}:broken:${Date.now()}`, text);
    localStorage.removeItem(KEY);
  }

  function write(progress) {
    memory = progress;
    try {
      localStorage.setItem(KEY, JSON.stringify(progress));
    } catch {
      lasting = false;
    }
  }

  function entry(id) {
    return read().questions[id];
  }

  // Notes one answer. Progress is read anew just before, so that two open pages do not undo each other.
  function note(id, fraction, hinted) {
    const progress = read();
    const old = progress.questions[id] || { box: 0, due: today(), seen: 0, right: 0 };
    const step = fraction < 1 ? 0 : hinted ? Math.max(1, old.box) : Math.min(old.box + 1, DAYS.length - 1);
    progress.questions[id] = { box: step, due: today(DAYS[step]), seen: old.seen + 1, right: old.right + (fraction === 1 ? 1 : 0) };
    write(progress);
  }

  function reset() {
    write({ format: FORMAT, questions: {} });
  }

  // Takes over progress from a file; returns how many questions it had, or null when it is no progress of ours.
  function load(text) {
    const value = parsed(text);
    if (!isProgress(value)) return null;
    const progress = read();
    for (const [id, one] of Object.entries(value.questions)) {
      const mine = progress.questions[id];
      const { box, due, seen, right } = one;
      if (!mine || mine.seen <= seen) progress.questions[id] = { box, due, seen, right };
    }
    write(progress);
    return Object.keys(value.questions).length;
  }

  function setting(name, value) {
    try {
      if (value === undefined) return localStorage.getItem(`headcheck:${name}`);
      localStorage.setItem(`headcheck:${name}`, value);
    } catch {
      lasting = false;
    }
    return value === undefined ? null : value;
  }

  return {
    entry, note, reset, load, setting, today,
    text: () => JSON.stringify(read(), null, 1),
    steps: DAYS.length - 1,
    learnt: (one) => Boolean(one) && one.box >= LEARNT,
    due: (one) => Boolean(one) && one.due <= today(),
    wasBroken: () => broken,
    lasts: () => lasting,
  };
})();
