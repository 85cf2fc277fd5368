// Compares an answer with the right one and names the mistake behind a wrong one; the rules are those of headcheck/quiz/kinds.py.
"use strict";

const Judge = (() => {
  const RULES = { integer: exact, number: close, shape: shape, choice: exact, choices: choices };

  function exact(part, answer, given) {
    if (given === answer) return { fraction: 1 };
    if (part.kind === "choice") return { fraction: 0, remark: ["option_off", { option: given }] };
    return { fraction: 0, remark: ["number_off", {}] };
  }

  function close(part, answer, given) {
    const allowed = Math.max(0.5001 * 10 ** -part.decimals, 1e-9 * Math.max(Math.abs(answer), Math.abs(given)));
    return Math.abs(given - answer) <= allowed ? { fraction: 1 } : { fraction: 0, remark: ["number_off", {}] };
  }

  function shape(part, answer, given) {
    if (String(given) === String(answer)) return { fraction: 1 };
    if (given.length !== answer.length) return { fraction: 0, remark: ["axes_count", { count: given.length }] };
    const sorted = (sizes) => String([...sizes].sort((a, b) => a - b));
    if (sorted(given) === sorted(answer)) return { fraction: 0.5, remark: ["axes_order", {}] };
    const off = given.flatMap((size, axis) => (size === answer[axis] ? [] : [axis]));
    return { fraction: 0, remark: ["axes_off", { axes: off.join(", ") }] };
  }

  function choices(part, answer, given) {
    const errors = part.options.filter((option) => answer.includes(option) !== given.includes(option)).length;
    if (!errors) return { fraction: 1 };
    return { fraction: Math.max(0, 1 - (2 * errors) / part.options.length), remark: ["options_off", { count: errors }] };
  }

  // Judges one part: {fraction, remark, mistakes}; `mistakes` are ids of named wrong answers that give this value.
  function judgePart(question, variant, index, given) {
    const part = question.parts[index];
    const rule = RULES[part.kind];
    const answer = variant.answers[index];
    const judged = rule(part, answer, given);
    if (judged.fraction === 1) return { ...judged, mistakes: [] };
    const gives = part.kind === "choices"
      ? (option) => answer.includes(option) !== given.includes(option)
      : (value) => rule(part, value, given).fraction === 1;
    const mistakes = question.wrong.filter((wrong, place) => wrong.part === part.name && gives(variant.wrong[place])).map((wrong) => wrong.id);
    // The length was told, so another one is a slip of the pen, unless it is a mistake that has a name.
    if (!mistakes.length && part.length && given.length !== part.length) throw new Parse.Unread("unread_length", { count: part.length });
    return { ...judged, mistakes: [...new Set(mistakes)] };
  }

  return { judgePart };
})();
