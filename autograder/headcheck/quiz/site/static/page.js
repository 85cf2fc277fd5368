// Shows one question after the other: those that are due first, then new ones.
"use strict";

(() => {
  const content = JSON.parse(document.getElementById("content").textContent);
  const byId = (id) => document.getElementById(id);
  const questions = content.questions.filter((question) => question.variants.length);
  const state = { language: firstLanguage(), topic: "", current: null, eager: false, recent: [], repeated: false };
  const PAUSE = 6; // so many other questions come before one is asked again

  function firstLanguage() {
    const known = Object.keys(content.languages);
    const wanted = [Store.setting("language"), ...(navigator.languages || []).map((name) => name.split("-")[0])];
    return wanted.find((name) => known.includes(name)) || known[0];
  }

  // Words -------------------------------------------------------------------------------------------------------

  function say(key, values = {}) {
    return content.strings[state.language][key].replace(/\{(\w+)\}/g, (place, name) => (name in values ? values[name] : place));
  }

  function texts(question) {
    return question.texts[state.language];
  }

  const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]);

  // Fills the places of a text of the bank; doubled braces stand for one, as in Python.
  function filled(html, variant) {
    return html.replace(/\{\{|\}\}|\{([A-Za-z]\w*)\}/g, (match, name) => (name === undefined ? match[0] : escaped(variant.places[name])));
  }

  function plainTitle(question) {
    const holder = document.createElement("div");
    holder.innerHTML = filled(texts(question).title, question.variants[0]);
    return holder.textContent;
  }

  // Elements ----------------------------------------------------------------------------------------------------

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

  // Turns HTML of the bank into an element with its formulas drawn, before anybody sees it: nothing jumps later.
  function rich(tag, html, attributes = {}) {
    const element = make(tag, attributes);
    element.innerHTML = html;
    for (const formula of element.querySelectorAll(".tex")) {
      katex.render(formula.textContent, formula, { displayMode: "display" in formula.dataset, throwOnError: false, output: content.formulas || "htmlAndMathml" });
    }
    for (const code of element.querySelectorAll("pre")) code.tabIndex = 0;
    return element;
  }

  function button(key, action, attributes = {}) {
    const element = make("button", { type: "button", ...attributes }, say(key));
    element.addEventListener("click", action);
    return element;
  }

  // Which question comes next -----------------------------------------------------------------------------------

  function inTopic() {
    return questions.filter((question) => !state.topic || question.topic === state.topic);
  }

  function next() {
    const pool = inTopic();
    const rested = (question) => !state.recent.includes(question.id);
    const due = pool.filter((question) => Store.due(Store.entry(question.id)));
    const fresh = pool.filter((question) => !Store.entry(question.id));
    const later = state.eager ? [...pool].sort((a, b) => (Store.entry(a.id)?.due < Store.entry(b.id)?.due ? -1 : 1)) : [];
    // Old and new take turns, so that what does not stick cannot keep everything new away.
    const turns = state.repeated ? [fresh, due] : [due, fresh];
    const queue = [...turns.flat().filter(rested), ...later.filter(rested), ...due, ...fresh, ...later];
    return queue[0] || null;
  }

  function left(question, repeated) {
    state.repeated = repeated;
    state.recent = [question.id, ...state.recent.filter((id) => id !== question.id)].slice(0, PAUSE);
  }

  function variantOf(question) {
    const seen = (Store.entry(question.id) || { seen: 0 }).seen;
    return question.variants[seen % question.variants.length];
  }

  // One question ------------------------------------------------------------------------------------------------

  function open(question, focus) {
    state.current = question && { question, variant: variantOf(question), hinted: false, answered: false };
    const article = byId("question");
    article.replaceChildren(...(question ? asked() : finished()));
    article.setAttribute("aria-busy", "false");
    if (focus) article.focus();
  }

  function asked() {
    const { question, variant } = state.current;
    const words = texts(question);
    const form = make("form", { novalidate: true });
    question.parts.forEach((part, index) => form.append(field(part, index)));
    form.append(make("div", { id: "feedback", "aria-live": "polite" }), buttons());
    form.addEventListener("submit", answer);
    const topic = make("p", { class: "topic" }, content.topics[state.language][question.topic]);
    return [topic, rich("h2", filled(words.title, variant)), rich("div", filled(words.prompt, variant), { class: "prompt" }), form, ...draft(question)];
  }

  function draft(question) {
    return question.unchecked.includes(state.language) ? [make("p", { class: "small" }, say("draft"))] : [];
  }

  function buttons() {
    const row = make("div", { class: "row", id: "buttons" });
    row.append(make("button", { type: "submit", class: "main" }, say("check")), button("hint", hint, { id: "hint" }), button("skip_question", skip));
    return row;
  }

  function field(part, index) {
    const { question, variant } = state.current;
    const label = part.name ? `(${index + 1}) ${filled(texts(question).parts[part.name], variant)}` : escaped(say("answer"));
    const form = say("form", { form: say(`form_${part.kind}`) });
    if (part.options) return optionField(part, index, label, form);
    const id = `answer-${index}`;
    const box = make("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": `${id}-form` });
    return make("div", { class: "field" }, rich("label", label, { for: id }), box, make("small", { id: `${id}-form` }, form));
  }

  function optionField(part, index, label, form) {
    const { question, variant } = state.current;
    const type = part.kind === "choice" ? "radio" : "checkbox";
    const set = make("fieldset", {}, rich("legend", `${label} <small>${escaped(form)}</small>`));
    variant.order[part.name].forEach((option, place) => {
      const text = `<b>${letter(place)}</b> <span>${filled(texts(question).options[part.name][option], variant)}</span>`;
      const row = make("label", { class: "option" }, make("input", { type, name: `answer-${index}`, value: option }), rich("span", text));
      set.append(row);
    });
    return set;
  }

  const letter = (place) => "abcdefgh"[place];

  function typed(part, index) {
    if (!part.options) return Parse[part.kind](byId(`answer-${index}`).value, state.language);
    const chosen = [...document.querySelectorAll(`[name=answer-${index}]:checked`)].map((box) => box.value);
    if (!chosen.length) throw new Parse.Unread(`unread_${part.kind}`);
    return part.kind === "choice" ? chosen[0] : chosen;
  }

  function answer(event) {
    event.preventDefault();
    if (state.current.answered) return;
    const { question } = state.current;
    try {
      const given = question.parts.map(typed);
      judged(given.map((value, index) => Judge.judgePart(question, state.current.variant, index, value)));
    } catch (error) {
      if (!(error instanceof Parse.Unread)) throw error;
      byId("feedback").replaceChildren(make("p", { class: "unread" }, `${say(error.key, error.values)} ${say("unread")}`));
    }
  }

  function judged(parts) {
    const { question, hinted } = state.current;
    const fraction = parts.reduce((sum, part) => sum + part.fraction, 0) / parts.length;
    state.current.answered = true;
    left(question, Boolean(Store.entry(question.id)));
    Store.note(question.id, fraction, hinted);
    tell(parts, fraction);
    progress();
  }

  // The verdict, what was probably thought, the answer, the working ------------------------------------------------

  function tell(parts, fraction) {
    const { question, variant } = state.current;
    const verdict = fraction === 1 ? "right" : fraction > 0 ? "partial" : "wrong";
    const heading = make("h3", { tabindex: "-1", class: verdict }, say(verdict));
    const remarks = parts.flatMap((part, index) => remarksOn(part, question.parts[index], parts.length > 1 ? `(${index + 1}) ` : ""));
    const working = make("details", { open: true }, make("summary", {}, say("working")), rich("div", filled(texts(question).explanation, variant)));
    const shown = fraction === 1 ? [] : [make("p", {}, say("the_answer", { answer: variant.written.join("; ") }))];
    byId("feedback").replaceChildren(heading, ...remarks, ...shown, working, ...readOn(question));
    for (const box of document.querySelectorAll("#question input")) box.disabled = true;
    byId("buttons").replaceChildren(button("next", () => open(next(), true), { class: "main" }));
    heading.focus();
  }

  function remarksOn(judgedPart, part, number) {
    if (!judgedPart.remark) return [];
    const { question, variant } = state.current;
    const [key, values] = judgedPart.remark;
    const remark = say(key, "option" in values ? { letter: letter(variant.order[part.name].indexOf(values.option)) } : values);
    const named = judgedPart.mistakes.map((id) => filled(texts(question).wrong[id], variant));
    const several = named.length > 1 ? [escaped(say("several"))] : [];
    return [rich("p", [number + escaped(remark), ...several, ...named].join(" "))];
  }

  function readOn(question) {
    if (!question.read) return [];
    return [make("p", { class: "small" }, say("read", { section: question.read.title, notebook: question.read.assignment }))];
  }

  function hint() {
    const { question, variant } = state.current;
    state.current.hinted = true;
    byId("feedback").replaceChildren(rich("div", filled(texts(question).hint, variant), { class: "hint" }));
    byId("hint").disabled = true;
  }

  function skip() {
    left(state.current.question, Boolean(Store.entry(state.current.question.id)));
    open(next(), true);
  }

  function finished() {
    const dates = inTopic().map((question) => Store.entry(question.id).due).sort();
    const date = new Date(`${dates[0]}T12:00:00`).toLocaleDateString(state.language, { day: "numeric", month: "long", year: "numeric" });
    const go = button("go_on", () => { state.eager = true; open(next(), true); }, { class: "main" });
    return [make("h2", {}, say("done")), make("p", {}, say("done_text", { date })), make("div", { class: "row" }, go)];
  }

  // Around the question -----------------------------------------------------------------------------------------

  function progress() {
    const entries = questions.map((question) => Store.entry(question.id));
    const count = (test) => entries.filter(test).length;
    byId("progress").textContent = say("progress_text", {
      learnt: count(Store.learnt), count: entries.length, due: count(Store.due), fresh: count((entry) => !entry),
    });
    byId("squares").replaceChildren(...questions.map((question, index) => square(question, entries[index])));
    if (Store.wasBroken()) notice("broken");
    if (!Store.lasts()) notice("unsaved");
  }

  function square(question, entry) {
    const title = plainTitle(question);
    const text = entry ? say("square", { title, box: entry.box, boxes: Store.steps }) : say("square_new", { title });
    return make("li", { "data-box": entry ? entry.box : "new", title: text }, make("span", { class: "hidden" }, text));
  }

  function notice(key, values) {
    byId("notice").textContent = key ? say(key, values) : "";
  }

  function words() {
    document.documentElement.lang = state.language;
    document.title = say("title");
    for (const element of document.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
    for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", say(element.dataset.label));
    const names = content.topics[state.language];
    byId("topic").replaceChildren(new Option(say("all_topics"), ""), ...Object.keys(names).map((topic) => new Option(names[topic], topic)));
    byId("topic").value = state.topic;
    progress();
  }

  function chooseLanguage(event) {
    state.language = event.target.value;
    Store.setting("language", state.language);
    words();
    open(state.current && state.current.question, false);
  }

  function chooseTopic(event) {
    state.topic = event.target.value;
    state.eager = false;
    open(next(), false);
  }

  function switchTheme() {
    const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = Store.setting("theme", dark ? "light" : "dark");
  }

  function saveFile() {
    const link = make("a", { href: URL.createObjectURL(new Blob([Store.text()], { type: "application/json" })), download: "headcheck-practice.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async function loadFile(event) {
    const [file] = event.target.files;
    if (!file) return;
    const count = Store.load(await file.text());
    event.target.value = "";
    notice(count === null ? "not_loaded" : "loaded", { count });
    progress();
    open(next(), false);
  }

  function reset() {
    if (!confirm(say("reset_sure"))) return;
    Store.reset();
    progress();
    open(next(), false);
  }

  // The fonts of the formulas come first: a formula drawn without them would change its size later.
  async function fontsReady() {
    if (content.formulas === "mathml" || !document.fonts) return;
    const fonts = ["1em KaTeX_Main", "italic 1em KaTeX_Math", "1em KaTeX_Size1"].map((font) => document.fonts.load(font));
    await Promise.race([Promise.all(fonts), new Promise((done) => setTimeout(done, 1500))]).catch(() => {});
  }

  async function start() {
    const theme = Store.setting("theme");
    if (theme) document.documentElement.dataset.theme = theme;
    byId("language").replaceChildren(...Object.entries(content.languages).map(([code, name]) => new Option(name, code)));
    byId("language").value = state.language;
    byId("language").addEventListener("change", chooseLanguage);
    byId("topic").addEventListener("change", chooseTopic);
    byId("theme").addEventListener("click", switchTheme);
    byId("save").addEventListener("click", saveFile);
    byId("load").addEventListener("change", loadFile);
    byId("reset").addEventListener("click", reset);
    words();
    await fontsReady();
    open(next(), false);
    document.body.classList.remove("loading");
    performance.mark("usable");
  }

  function offline() {
    if (content.formulas === "mathml" || !location.protocol.startsWith("http")) return;
    document.head.append(make("link", { rel: "manifest", href: "manifest.webmanifest" }));
    if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js");
  }

  start();
  offline();
})();
