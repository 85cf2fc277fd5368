// Reads what a person typed as an answer, by the same rules as headcheck/quiz/parsing.py; a test compares the two.
"use strict";

const Parse = (() => {
  const LOOKALIKES = { "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "\n": " ", "\u2212": "-", "\u2019": "'", "\u00d7": "x" };
  const WHOLE = /^[+-]?[0-9]{1,18}$/;
  const GROUPED = /^[+-]?[1-9][0-9]{0,2}([ _.,'])[0-9]{3}(?:\1[0-9]{3}){0,5}$/;
  const DECIMAL = /^([+-]?[0-9]{1,18})[.,]([0-9]{1,18})$/;
  const COMMA = /^[+-]?[0-9]{1,18},[0-9]{1,18}$/;
  const NUMBER_MARKS = { en: [".", ","], tr: [",", "."], uz: [",", " "] };
  const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|sqrt|\*\*|[-+*/()])/y;

  // An answer that cannot be read; `key` names the sentence that says why.
  class Unread extends Error {
    constructor(key, values = {}) {
      super(key);
      this.key = key;
      this.values = values;
    }
  }

  function plain(text) {
    if (text.length > 200) throw new Unread("unread");
    return text.replace(/[\u00a0\u202f\u2009\t\n\u2212\u2019\u00d7]/g, (character) => LOOKALIKES[character]).trim();
  }

  function integer(typed, language) {
    const text = plain(typed);
    if (WHOLE.test(text)) return Number(text);
    const grouped = GROUPED.exec(text);
    if (grouped) {
      const mark = grouped[1];
      const marks = text.split(mark).length - 1;
      const [decimal, group] = NUMBER_MARKS[language] || [];
      // "16,640" can only be 16640, because 16.64 is not whole; "8,000" could be 8 as well as 8000.
      if (marks === 1 && ".,".includes(mark) && text.endsWith("000") && mark !== group) {
        if (mark === decimal) return Number(text.split(mark)[0]);
        throw new Unread("ambiguous", { text });
      }
      return Number(text.replaceAll(mark, ""));
    }
    const decimal = DECIMAL.exec(text);
    if (decimal && /^0*$/.test(decimal[2])) return Number(decimal[1]);
    throw new Unread("unread_integer");
  }

  function number(typed, language) {
    let text = plain(typed);
    const grouped = GROUPED.exec(text);
    if (grouped && " _'".includes(grouped[1])) return Number(text.replaceAll(grouped[1], ""));
    const [decimal, group] = NUMBER_MARKS[language] || [];
    // Three digits behind a point are decimals, but not where the point stands between groups of digits.
    const doubtful = group === "." ? "." : ",";
    if (grouped && grouped[1] === doubtful && grouped[1] !== decimal) throw new Unread("ambiguous_point", { text });
    if (COMMA.test(text)) text = text.replace(",", ".");
    const value = evaluate(text);
    if (!Number.isFinite(value)) throw new Unread("unread_number");
    return value;
  }

  // Works out + - * / ** and sqrt; powers bind as in Python.
  function evaluate(text) {
    const tokens = tokensOf(simplified(text));
    let at = 0;
    const take = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : undefined);

    function sum() {
      let value = product();
      for (let sign = take("+", "-"); sign; sign = take("+", "-")) value = sign === "+" ? value + product() : value - product();
      return value;
    }
    function product() {
      let value = signed();
      for (let sign = take("*", "/"); sign; sign = take("*", "/")) value = sign === "*" ? value * signed() : value / signed();
      return value;
    }
    function signed() {
      const sign = take("+", "-");
      if (sign) return sign === "-" ? -signed() : signed();
      const base = atom();
      return take("**") ? base ** signed() : base;
    }
    function atom() {
      if (take("sqrt")) {
        if (tokens[at] !== "(") throw new Unread("unread_number");
        return Math.sqrt(atom());
      }
      if (take("(")) {
        const value = sum();
        if (!take(")")) throw new Unread("unread_number");
        return value;
      }
      const token = tokens[at++];
      if (token === undefined || !/^[\d.]/.test(token) || /^0+[1-9]\d*$/.test(token)) throw new Unread("unread_number");
      return Number(token);
    }

    const value = sum();
    if (at !== tokens.length) throw new Unread("unread_number");
    return value;
  }

  function simplified(text) {
    const source = text.toLowerCase().replace(/\b(?:math|np|numpy|torch)\./g, "").replaceAll("^", "**").replaceAll("\\sqrt", "sqrt")
      .replaceAll("{", "(").replaceAll("}", ")").replace(/^[ x]+|[ x]+$/g, "").replace(/\u221a([0-9.]+)/g, "sqrt($1)").replaceAll("\u221a", "sqrt");
    if (!source || source.length > 60) throw new Unread("unread_number");
    return source;
  }

  function tokensOf(source) {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < source.length) {
      const found = TOKEN.exec(source);
      if (!found) throw new Unread("unread_number");
      tokens.push(found[1]);
    }
    return tokens;
  }

  function shape(typed) {
    const text = plain(typed);
    const inside = text.toLowerCase().replace(/^torch\./, "").replace(/^size/, "").replace(/^[()[\] ]+|[()[\] ]+$/g, "");
    const items = inside.split(/[,;x* ]+/).filter(Boolean);
    const bracketed = /^[([]/.test(text) || /[)\]]$/.test(text);
    if (!items.length || items.length > 16 || (items.length === 1 && !bracketed)) throw new Unread("unread_shape");
    return items.map((item) => size(item));
  }

  function size(item) {
    try {
      const value = integer(item);
      if (value >= 0) return value;
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
    }
    throw new Unread("unread_shape");
  }

  return { integer, number, shape, Unread };
})();
