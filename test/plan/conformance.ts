import { check } from "../../src/plan/check.ts";
import { call, column, type Expr, numberList, value } from "../../src/plan/expr.ts";
import { functions } from "../../src/plan/functions.ts";
import { parse } from "../../src/plan/parse.ts";
import type { ValueType } from "../../src/plan/types.ts";

/** A cell of the conformance table: whole numbers beyond 2^53 as text of digits, dates as "2026-01-31 12:30:00". */
export type Answer = number | string | boolean | null;

/** A small table, and what expressions over it must answer: a cell for each row, or one for an aggregate. */
export interface Conformance {
  readonly columns: Readonly<Record<string, readonly [type: ValueType, cells: readonly Answer[]]>>;
  readonly cases: Readonly<Record<string, readonly Answer[] | Answer>>;
  /** The same for functions that people have no word for. */
  readonly trees?: Readonly<Record<string, readonly [expr: Expr, expected: readonly Answer[] | Answer]>>;
  /** What windows look along. */
  readonly over?: { readonly by: readonly string[]; readonly order: readonly string[] };
}

/** A file of lists that expressions name. */
export const fitted = { artifact: "fitted", lists: [1, 2, 0.5, 0], start: [0, 2, 4] };

/** How often a word and a pair of words are in the column `s`. */
const termCounts = call("counted", call("phrases", call("words", column("s"), { list: ["of"] }), value(1), value(2)), {
  list: ["abc abc", "abc"],
});

const inf = Number.POSITIVE_INFINITY;
const most = "9223372036854775807";
const wide = 2 ** 63;
const least = "-9223372036854775808";

/** What each function answers. */
const usual: Readonly<Record<string, Conformance>> = {
  "whole numbers": {
    columns: {
      a: ["integer", [7, -7, 0, null, most, least]],
      b: ["integer", [2, 2, 0, 1, 1, -1]],
    },
    cases: {
      "a + b": [9, -5, 0, null, null, null],
      "a - b": [5, -9, 0, null, "9223372036854775806", "-9223372036854775807"],
      "a * b": [14, -14, 0, null, most, null],
      "a / b": [3.5, -3.5, null, null, wide, wide],
      "a % b": [1, -1, null, null, 0, 0],
      "b ** 2": [4, 4, 0, 1, 1, 1],
      "-b": [-2, -2, 0, -1, -1, 1],
      "-a": [-7, 7, 0, null, "-9223372036854775807", null],
      "abs(a)": [7, 7, 0, null, most, null],
      "sign(a)": [1, -1, 0, null, 1, -1],
      "round(a)": [7, -7, 0, null, most, least],
      "round(b * 55, -1)": [110, 110, 0, 60, 60, -60],
      "clip(b, 0, 1)": [1, 1, 0, 1, 1, 0],
      "clip(a, b, null)": [null, null, null, null, null, null],
      "least(a, b)": [2, -7, 0, null, 1, least],
      "greatest(a, b)": [7, 2, 0, null, most, -1],
      "Math.max(b, 1.5)": [2, 2, 1.5, 1.5, 1.5, 1.5],
      "a > b": [true, false, false, null, true, false],
      "b <= 1": [false, false, true, true, true, true],
      "a >= 7": [true, false, false, null, true, false],
      "a == b": [false, false, true, null, false, false],
      "a != b": [true, true, false, null, true, true],
      "a < 9007199254740993": [true, true, true, null, false, true],
      "a == 9223372036854775807": [false, false, false, null, true, false],
      "[7, 0, 1].includes(a)": [true, false, true, null, false, false],
      "[2.5, 2].includes(b)": [true, true, false, false, false, false],
      "a == null": [false, false, false, true, false, false],
      "a != null": [true, true, true, false, true, true],
      "a ?? b": [7, -7, 0, 1, most, least],
      "a ?? 0.5": [7, -7, 0, 0.5, wide, -wide],
      "a > 0 ? 1 : 2.5": [1, 2.5, 2.5, 2.5, 1, 2.5],
      "a > 0 && b > 1": [true, false, false, false, false, false],
      "a > 0 || b > 0": [true, true, false, true, true, false],
      "!(a > 0)": [false, true, true, null, false, true],
      "number(b)": [2, 2, 0, 1, 1, -1],
      "text(a)": ["7", "-7", "0", null, most, least],
      "boolean(b)": [true, true, false, true, true, true],
      "bin(b, 2)": [2, 2, 0, 0, 0, -2],
      "b > 0 + 1": [true, true, false, false, false, false],
      "(b > 0) + 1": [2, 2, 1, 2, 2, 1],
    },
  },
  numbers: {
    columns: {
      x: ["number", [2.5, -2.5, 0, inf, -inf, null, 1e308, 0.125]],
      y: ["number", [0.5, 3.5, 0, inf, 2, 1, 1e308, -1]],
    },
    cases: {
      "x + y": [3, 1, 0, inf, -inf, null, inf, -0.875],
      "x - y": [2, -6, 0, null, -inf, null, 0, 1.125],
      "x * y": [1.25, -8.75, 0, inf, -inf, null, inf, -0.125],
      "x * 0": [0, 0, 0, null, null, null, 0, 0],
      "y / x": [0.2, -1.4, null, null, 0, null, 1, -8],
      "y / 0": [inf, inf, null, inf, inf, inf, inf, -inf],
      "x % 2": [0.5, -0.5, 0, null, null, null, 0, 0.125],
      "x % y": [0, -2.5, null, null, null, null, 0, 0.125],
      "x ** 2": [6.25, 6.25, 0, inf, inf, null, inf, 0.015625],
      "x ** 0.5": [1.5811388300841898, null, 0, inf, inf, null, 1e154, 0.3535533905932738],
      "0 ** y": [0, 0, 1, 0, 0, 0, 0, inf],
      "-x": [-2.5, 2.5, 0, -inf, inf, null, -1e308, -0.125],
      "abs(x)": [2.5, 2.5, 0, inf, inf, null, 1e308, 0.125],
      "sign(x)": [1, -1, 0, 1, -1, null, 1, 1],
      "ceil(x)": [3, -2, 0, inf, -inf, null, 1e308, 1],
      "floor(x)": [2, -3, 0, inf, -inf, null, 1e308, 0],
      "trunc(x)": [2, -2, 0, inf, -inf, null, 1e308, 0],
      "round(x)": [2, -2, 0, inf, -inf, null, 1e308, 0],
      "round(y)": [0, 4, 0, inf, 2, 1, 1e308, -1],
      "round(x, 2)": [2.5, -2.5, 0, inf, -inf, null, 1e308, 0.12],
      "sqrt(x)": [1.5811388300841898, null, 0, inf, null, null, 1e154, 0.3535533905932738],
      "exp(y)": [1.6487212707001282, 33.11545195869231, 1, inf, 7.38905609893065, Math.E, inf, 0.36787944117144233],
      "ln(y)": [-Math.LN2, 1.252762968495368, null, inf, Math.LN2, 0, 709.1962086421661, null],
      "log10(y)": [-0.3010299956639812, 0.5440680443502757, null, inf, 0.3010299956639812, 0, 308, null],
      "log2(y)": [-1, 1.8073549220576042, null, inf, 1, 0, 1023.1538532253076, null],
      "clip(x, -1, 1)": [1, -1, 0, 1, -1, null, 1, 0.125],
      "bin(x, 0.5)": [2.5, -2.5, 0, inf, -inf, null, inf, 0],
      "isFinite(x)": [true, true, true, false, false, null, true, true],
      "x == 1/0": [false, false, false, true, false, null, false, false],
      "x > y": [true, false, false, false, false, null, false, true],
      "x ?? -1": [2.5, -2.5, 0, inf, -inf, -1, 1e308, 0.125],
      "integer(x)": [2, -2, 0, null, null, null, null, 0],
      "text(y)": ["0.5", "3.5", "0", "inf", "2", "1", "1e+308", "-1"],
      "boolean(x)": [true, true, false, true, true, null, true, true],
      "cut(y, [0, 1, 3, 1000], ['low', 'middle', 'high'])": ["low", "high", null, null, "middle", "low", null, null],
      "x > 0 ? 'up' : x < 0 ? 'down' : 'flat'": ["up", "down", "flat", "up", "down", "flat", "up", "up"],
    },
  },
  truth: {
    columns: {
      p: ["boolean", [true, true, true, false, false, false, null, null, null]],
      q: ["boolean", [true, false, null, true, false, null, true, false, null]],
    },
    cases: {
      "p && q": [true, false, null, false, false, false, null, false, null],
      "p || q": [true, true, true, true, false, null, true, null, null],
      "!p": [false, false, false, true, true, true, null, null, null],
      "p == q": [true, false, null, false, true, null, null, null, null],
      "p ? 1 : 0": [1, 1, 1, 0, 0, 0, 0, 0, 0],
      "p ?? q": [true, true, true, false, false, false, true, false, null],
      "p + q": [2, 1, null, 1, 0, null, null, null, null],
      "integer(p)": [1, 1, 1, 0, 0, 0, null, null, null],
      "text(p)": ["true", "true", "true", "false", "false", "false", null, null, null],
    },
  },
  text: {
    columns: {
      s: ["string", ["Lagos", "", null, " a,b,c ", "äöü😀", "aXbXc", "12.5", "yes"]],
      t: ["string", ["go", "x", "y", ",", "😀", "X", ".", "s"]],
    },
    cases: {
      "lower(s)": ["lagos", "", null, " a,b,c ", "äöü😀", "axbxc", "12.5", "yes"],
      "s.toUpperCase()": ["LAGOS", "", null, " A,B,C ", "ÄÖÜ😀", "AXBXC", "12.5", "YES"],
      "trim(s)": ["Lagos", "", null, "a,b,c", "äöü😀", "aXbXc", "12.5", "yes"],
      "s.length": [5, 0, null, 7, 4, 5, 4, 3],
      "s.startsWith('a')": [false, false, null, false, false, true, false, false],
      "endsWith(s, t)": [false, false, null, false, true, false, false, true],
      "s.includes(t)": [true, false, null, true, true, true, true, true],
      "replace(s, 'X', '-')": ["Lagos", "", null, " a,b,c ", "äöü😀", "a-b-c", "12.5", "yes"],
      "s.replace('X', '-')": ["Lagos", "", null, " a,b,c ", "äöü😀", "a-bXc", "12.5", "yes"],
      "s.replaceAll('X', '-')": ["Lagos", "", null, " a,b,c ", "äöü😀", "a-b-c", "12.5", "yes"],
      "matches(s, /^a|\\d/i)": [false, false, null, false, false, true, true, false],
      "extract(s, '([a-z])X([a-z])', 2)": [null, null, null, null, null, "b", null, null],
      "extract(s, '[0-9]+')": [null, null, null, null, null, null, "12", null],
      "split(s, ',', 1)": [null, null, null, "b", null, null, null, null],
      "s.split('X')[-1]": ["Lagos", "", null, " a,b,c ", "äöü😀", "c", "12.5", "yes"],
      "s.slice(1, 3)": ["ag", "", null, "a,", "öü", "Xb", "2.", "es"],
      "s.slice(-2)": ["os", "", null, "c ", "ü😀", "Xc", ".5", "es"],
      "s.slice(-3, -1)": ["go", "", null, ",c", "öü", "bX", "2.", "ye"],
      "slice(s, 0, length(t))": ["La", "", null, " ", "ä", "a", "1", "y"],
      "concat(s, '-', 1, 2.5)": [
        "Lagos-12.5",
        "-12.5",
        null,
        " a,b,c -12.5",
        "äöü😀-12.5",
        "aXbXc-12.5",
        "12.5-12.5",
        "yes-12.5",
      ],
      "`${s}|${t}`": ["Lagos|go", "|x", null, " a,b,c |,", "äöü😀|😀", "aXbXc|X", "12.5|.", "yes|s"],
      "s + 1": ["Lagos1", "1", null, " a,b,c 1", "äöü😀1", "aXbXc1", "12.51", "yes1"],
      "s < t": [true, true, null, true, true, false, false, false],
      "s == 'yes'": [false, false, null, false, false, false, false, true],
      "['Lagos', ''].includes(s)": [true, true, null, false, false, false, false, false],
      "number(s)": [null, null, null, null, null, null, 12.5, null],
      "integer(s)": [null, null, null, null, null, null, 12, null],
      "boolean(s)": [null, null, null, null, null, null, null, true],
      "s == null || s == ''": [false, true, true, false, false, false, false, false],
      "greatest(s, t)": ["go", "x", null, ",", "😀", "aXbXc", "12.5", "yes"],
    },
  },
  digits: {
    columns: { s: ["string", [" 7 ", "-3.9", "9223372036854775807", "1e3", "nan", "inf", "0x10", "+5"]] },
    cases: {
      "number(s)": [7, -3.9, wide, 1000, null, inf, null, 5],
      "integer(s)": [7, -3, most, 1000, null, null, null, 5],
    },
  },
  dates: {
    columns: {
      d: ["datetime", ["2024-02-29 13:45:59", "1999-12-31 00:00:00", null, "2026-11-22 23:59:59"]],
      e: ["datetime", ["2024-03-31 13:45:58", "2000-01-01 00:00:00", "2024-01-01 00:00:00", "2026-11-22 00:00:00"]],
    },
    cases: {
      "year(d)": [2024, 1999, null, 2026],
      "quarter(d)": [1, 4, null, 4],
      "month(d)": [2, 12, null, 11],
      "day(d)": [29, 31, null, 22],
      "hour(d)": [13, 0, null, 23],
      "minute(d)": [45, 0, null, 59],
      "second(d)": [59, 0, null, 59],
      "weekday(d)": [3, 4, null, 6],
      "dateTrunc(d, 'month')": ["2024-02-01 00:00:00", "1999-12-01 00:00:00", null, "2026-11-01 00:00:00"],
      "dateTrunc(d, 'week')": ["2024-02-26 00:00:00", "1999-12-27 00:00:00", null, "2026-11-16 00:00:00"],
      "dateTrunc(d, 'hour')": ["2024-02-29 13:00:00", "1999-12-31 00:00:00", null, "2026-11-22 23:00:00"],
      "dateDiff(d, e, 'day')": [30, 1, null, 0],
      "dateDiff(d, e, 'month')": [1, 0, null, 0],
      "dateDiff(d, e, 'second')": [2678399, 86400, null, -86399],
      "d < e": [true, true, null, false],
      "d > '2024-01-01'": [true, false, null, true],
      "text(d)": ["2024-02-29 13:45:59", "1999-12-31 00:00:00", null, "2026-11-22 23:59:59"],
      "d ?? e": ["2024-02-29 13:45:59", "1999-12-31 00:00:00", "2024-01-01 00:00:00", "2026-11-22 23:59:59"],
    },
  },
  "dates of texts": {
    columns: { s: ["string", ["2024-02-29", "2024-02-30", " 2024-01-01 10:00:00 ", "soon", null]] },
    cases: { "date(s)": ["2024-02-29 00:00:00", null, "2024-01-01 10:00:00", null, null] },
  },
  aggregates: {
    columns: {
      n: ["integer", [3, 1, null, 3, 2]],
      x: ["number", [0.5, null, 4, 1.5, -2]],
      s: ["string", ["b", "a", null, "b", "a"]],
      p: ["boolean", [true, null, false, true, true]],
    },
    cases: {
      "count()": 5,
      "count(n)": 4,
      "countDistinct(n)": 3,
      "sum(n)": 9,
      "sum(x)": 4,
      "sum(n > 1)": 3,
      "mean(n)": 2.25,
      "mean(p)": 0.75,
      "median(n)": 2.5,
      "quantile(x, 0.25)": -0.125,
      "min(n)": 1,
      "max(x)": 4,
      "min(s)": "a",
      "std(n)": 0.9574271077563381,
      "variance(n)": 0.9166666666666666,
      "first(x)": 0.5,
      "last(n)": 2,
      "last(s)": "a",
      "mode(n)": 3,
      "mode(s)": "a",
      "any(p)": true,
      "all(p)": false,
      "corr(n, x)": 0.9607689228305227,
      "sum(n) / count()": 1.8,
      "max(n) - min(n)": 2,
    },
  },
  "aggregates of nothing": {
    columns: { n: ["integer", [null, null]], x: ["number", [1, null]] },
    cases: {
      "count(n)": 0,
      "sum(n)": null,
      "mean(n)": null,
      "median(n)": null,
      "min(n)": null,
      "mode(n)": null,
      "first(n)": null,
      "any(n > 1)": null,
      "std(x)": null,
      "corr(n, x)": null,
      "countDistinct(n)": 0,
    },
  },
  windows: {
    columns: {
      g: ["string", ["a", "b", "a", "a", "b", "a"]],
      o: ["integer", [3, 1, 1, 2, 2, null]],
      x: ["integer", [10, 5, 20, null, 5, 40]],
    },
    over: { by: ["g"], order: ["o"] },
    cases: {
      "rowNumber()": [3, 1, 1, 2, 2, 4],
      "rank(x)": [1, 1, 2, null, 1, 3],
      "denseRank(x)": [1, 1, 2, null, 1, 3],
      "rank()": [3, 1, 1, 2, 2, 4],
      "ntile(2)": [2, 1, 1, 1, 2, 2],
      "lag(x)": [null, null, null, 20, 5, 10],
      "lag(x, 2)": [20, null, null, null, null, null],
      "lead(x)": [40, 5, null, 10, null, null],
      "cumsum(x)": [30, 5, 20, null, 10, 70],
      "cummin(x)": [10, 5, 20, null, 5, 10],
      "cummax(x)": [20, 5, 20, null, 5, 40],
      "cummean(x)": [15, 5, 20, null, 5, 23.333333333333332],
      "rollingSum(x, 2)": [null, null, null, null, 10, 50],
      "rollingMean(x, 2)": [null, null, null, null, 5, 25],
      "rollingMin(x, 2)": [null, null, null, null, 5, 10],
      "rollingMax(x, 2)": [null, null, null, null, 5, 40],
      "rollingStd(x, 2)": [null, null, null, null, 0, 21.213203435596427],
      "pctChange(x)": [null, null, null, null, 0, 3],
      "previous(x)": [10, 5, 20, 20, 5, 40],
      "next(x)": [10, 5, 20, 10, 5, 40],
      "x / sum(x)": [0.14285714285714285, 0.5, 0.2857142857142857, null, 0.5, 0.5714285714285714],
      "x - lag(x)": [null, null, null, null, 0, 30],
    },
  },
};

/** Column names and texts that mean something to the languages they are written in. */
const hostile = `a"b\\c'd\n\${e}%s`;

/** The same for what people rarely write, and data holds all the same. */
const edges: Readonly<Record<string, Conformance>> = {
  "a table without rows": {
    columns: {
      n: ["integer", []],
      x: ["number", []],
      s: ["string", []],
      p: ["boolean", []],
      d: ["datetime", []],
    },
    cases: {
      "n + 1": [],
      "x / n": [],
      "n % n": [],
      "round(x, 2)": [],
      "s + '!'": [],
      "s.slice(1, 2)": [],
      "split(s, ',', 0)": [],
      "number(s)": [],
      "date(s)": [],
      "p ? s : 'no'": [],
      "least(s, 'a')": [],
      "year(d)": [],
      "dateTrunc(d, 'month')": [],
      "dateDiff(d, d, 'month')": [],
      "lag(x)": [],
      "cumsum(n)": [],
      "rank(s)": [],
      "rollingMean(x, 2)": [],
      "ntile(3)": [],
      "rowNumber()": [],
    },
  },
  "aggregates of no rows": {
    columns: { n: ["integer", []], x: ["number", []], s: ["string", []], p: ["boolean", []], d: ["datetime", []] },
    cases: {
      "count()": 0,
      "count(s)": 0,
      "sum(n)": null,
      "mean(x)": null,
      "median(x)": null,
      "quantile(x, 0.5)": null,
      "max(s)": null,
      "min(d)": null,
      "mode(s)": null,
      "first(s)": null,
      "last(x)": null,
      "any(p)": null,
      "all(p)": null,
      "std(x)": null,
      "corr(x, n)": null,
      "round(sum(x) / count(), 2)": null,
    },
  },
  "one row": {
    columns: { n: ["integer", [3]], x: ["number", [2.5]], s: ["string", ["a"]] },
    over: { by: [], order: [] },
    cases: {
      "rank(n)": [1],
      "lag(x)": [null],
      "lead(x)": [null],
      "ntile(3)": [1],
      "rollingStd(x, 1)": [null],
      "rollingSum(x, 1)": [2.5],
      "pctChange(n)": [null],
      "cummean(n)": [3],
      "previous(s)": ["a"],
      "n - mean(n)": [0],
      "x > max(x) - 1 ? s : null": ["a"],
    },
  },
  "deviations of infinite numbers": {
    columns: { n: ["integer", [1, 2, 3]], x: ["number", [inf, 1, 4]] },
    over: { by: [], order: [] },
    cases: {
      "rollingStd(x, 2)": [null, null, 2.1213203435596424],
      "x / std(x)": [null, null, null],
      "x - variance(x)": [null, null, null],
    },
  },
  "aggregates of infinite numbers": {
    columns: { n: ["integer", [1, 2, 3]], x: ["number", [inf, 1, 2]] },
    cases: { "std(x)": null, "variance(x)": null, "corr(n, x)": null, "std(n)": 1 },
  },
  "aggregates of one row": {
    columns: { n: ["integer", [3]], x: ["number", [2.5]] },
    cases: {
      "std(n)": null,
      "median(x)": 2.5,
      "quantile(n, 1)": 3,
      "corr(n, x)": null,
      "round(mean(x))": 2,
      "sqrt(-count())": null,
    },
  },
  "all missing": {
    columns: {
      n: ["integer", [null, null]],
      x: ["number", [null, null]],
      s: ["string", [null, null]],
      p: ["boolean", [null, null]],
      d: ["datetime", [null, null]],
    },
    cases: {
      "n * 2": [null, null],
      "x ** 0": [null, null],
      "1 ** x": [null, null],
      "s + s": [null, null],
      "concat(n, x, p, d)": [null, null],
      "p && false": [false, false],
      "p || p": [null, null],
      "s == s": [null, null],
      "d < d": [null, null],
      "d == '2024-01-01'": [null, null],
      "[1, 2].includes(n)": [null, null],
      "[].includes(s)": [null, null],
      "p ? 1 : 2": [2, 2],
      "n ?? 0": [0, 0],
      "s ?? 'none'": ["none", "none"],
      "n == null": [true, true],
      "s.length": [null, null],
      "matches(s, /a/)": [null, null],
      "extract(s, 'a')": [null, null],
      "split(s, ',', 0)": [null, null],
      "slice(s, n)": [null, null],
      "'abc'.slice(n, 2)": [null, null],
      "date(s)": [null, null],
      "boolean(s)": [null, null],
      "month(d)": [null, null],
      "dateDiff(d, d, 'month')": [null, null],
      "cut(x, [0, 1], ['a'])": [null, null],
      "cumsum(n)": [null, null],
      "rank(s)": [null, null],
      "previous(n)": [null, null],
      "rollingSum(x, 1)": [null, null],
      "abs(null)": [null, null],
      "n + null": [null, null],
    },
  },
  zeros: {
    columns: { x: ["number", [0, -0, 1, -1]], n: ["integer", [0, 1, 0, 0]] },
    cases: {
      "1 / x": [inf, -inf, 1, -1],
      "x / n": [null, 0, inf, -inf],
      "n / x": [null, -inf, 0, 0],
      "x == 0": [true, true, false, false],
      "x < 0": [false, false, false, true],
      "text(x)": ["0", "0", "1", "-1"],
      "sign(x)": [0, 0, 1, -1],
      "x ** -1": [inf, -inf, 1, -1],
      "x % n": [null, 0, null, null],
      "n % x": [null, null, 0, 0],
      "bin(x, n)": [null, 0, null, null],
      "boolean(x)": [false, false, true, true],
      "ln(x)": [null, null, 0, null],
    },
  },
  "values of zeros": {
    columns: { x: ["number", [0, -0]] },
    cases: { "countDistinct(x)": 1, "max(x)": 0, "mode(x)": 0 },
  },
  rounding: {
    columns: { x: ["number", [1.005, 2.675, 2.345, 0.5, 1.5, -0.5, 1250, 4503599627370497]] },
    cases: {
      "round(x, 2)": [1, 2.68, 2.35, 0.5, 1.5, -0.5, 1250, 4503599627370497],
      "round(x)": [1, 3, 2, 0, 2, 0, 1250, 4503599627370497],
      "round(x, -2)": [0, 0, 0, 0, 0, 0, 1200, 4503599627370500],
      "floor(x * 2)": [2, 5, 4, 1, 3, -1, 2500, 9007199254740994],
      "log2(x * x / (x * x) * 8)": [3, 3, 3, 3, 3, 3, 3, 3],
      "x % 0.5": [0.004999999999999893, 0.17499999999999982, 0.3450000000000002, 0, 0, 0, 0, 0],
      "text(x)": ["1.005", "2.675", "2.345", "0.5", "1.5", "-0.5", "1250", "4503599627370497"],
      "integer(x)": [1, 2, 2, 0, 1, 0, 1250, 4503599627370497],
    },
  },
  "out of range": {
    columns: { x: ["number", [710, -746, 0.5]], b: ["number", [1e200, -1e200, 2]] },
    cases: {
      "exp(x)": [inf, 0, 1.6487212707001282],
      "exp(-x)": [4.47628622567513e-309, inf, 0.6065306597126334],
      "b ** 3": [inf, -inf, 8],
      "b ** -3": [0, 0, 0.125],
      "b ** x": [inf, 0, Math.SQRT2],
    },
  },
  "sums out of range": {
    columns: { n: ["integer", [most, 1]] },
    cases: { "sum(n)": null, "mean(n)": 2 ** 62, "max(n) + min(n)": null },
  },
  letters: {
    columns: {
      s: ["string", ["😀a😀", "\ufffd", "a\nb", "\u00a0x\u3000", "", "ÄÖ", "aa"]],
      t: ["string", ["😀", "😀", "\n", "x", "", "ö", "a"]],
    },
    cases: {
      "s.length": [3, 1, 3, 3, 0, 2, 2],
      "s.slice(0, 1)": ["😀", "\ufffd", "a", "\u00a0", "", "Ä", "a"],
      "s.slice(-1)": ["😀", "\ufffd", "b", "\u3000", "", "Ö", "a"],
      "s.slice(-10)": ["😀a😀", "\ufffd", "a\nb", "\u00a0x\u3000", "", "ÄÖ", "aa"],
      "s.slice(-10, -20)": ["", "", "", "", "", "", ""],
      "s.slice(-10, -2)": ["😀", "", "a", "\u00a0", "", "", ""],
      "s.slice(2, 1)": ["", "", "", "", "", "", ""],
      "s.slice(10)": ["", "", "", "", "", "", ""],
      "s.slice(-2, 100)": ["a😀", "\ufffd", "\nb", "x\u3000", "", "ÄÖ", "aa"],
      "s.slice(1, -1)": ["a", "", "\n", "x", "", "", ""],
      "s.slice(9007199254740991)": ["", "", "", "", "", "", ""],
      "s.slice(-9007199254740991, 1)": ["😀", "\ufffd", "a", "\u00a0", "", "Ä", "a"],
      "s < t": [false, true, false, false, false, true, false],
      "greatest(s, t)": ["😀a😀", "😀", "a\nb", "\u00a0x\u3000", "", "ö", "aa"],
      "trim(s)": ["😀a😀", "\ufffd", "a\nb", "x", "", "ÄÖ", "aa"],
      "lower(s)": ["😀a😀", "\ufffd", "a\nb", "\u00a0x\u3000", "", "äö", "aa"],
      "s.includes(t)": [true, false, true, true, true, false, true],
      "s.includes('')": [true, true, true, true, true, true, true],
      "s.startsWith(t)": [true, false, false, false, true, false, true],
      "replace(s, '', '-')": ["😀a😀", "\ufffd", "a\nb", "\u00a0x\u3000", "", "ÄÖ", "aa"],
      "replace(s, t, '<>')": ["<>a<>", "\ufffd", "a<>b", "\u00a0<>\u3000", "", "ÄÖ", "<><>"],
      "s.replace(t, '$1')": ["$1a😀", "\ufffd", "a$1b", "\u00a0$1\u3000", "$1", "ÄÖ", "$1a"],
      "split(s, t, 1)": ["a", null, "b", "\u3000", null, null, ""],
      "split(s, '', 0)": ["😀", "\ufffd", "a", "\u00a0", "", "Ä", "a"],
      "split(s, 'a', -2)": ["😀", null, "", null, null, null, ""],
      "split(s, 'a', -9)": [null, null, null, null, null, null, null],
      "split(s, 'a', 9)": [null, null, null, null, null, null, null],
      "matches(s, /^.$/)": [false, true, false, false, false, false, false],
      "matches(s, /a.b/)": [false, false, false, false, false, false, false],
      "matches(s, /a.b/s)": [false, false, true, false, false, false, false],
      "matches(s, /^b$/m)": [false, false, true, false, false, false, false],
      "matches(s, /\\u{1F600}a\\ud83d\\ude00/)": [true, false, false, false, false, false, false],
      "matches(s, /[\\u00c0-\\u00ff]/)": [false, false, false, false, false, true, false],
      "matches(s, /äö/i)": [false, false, false, false, false, true, false],
      "matches(s, /\\w/)": [true, false, true, true, false, false, true],
      "matches(s, /\\bx\\b/)": [false, false, false, true, false, false, false],
      "matches(s, /^[^\\s]+$/)": [true, true, false, true, false, true, true],
      "matches(s, /^(?:a|b){2}$/)": [false, false, false, false, false, false, true],
      "matches(s, '')": [true, true, true, true, true, true, true],
      "extract(s, '(?<first>.)a', 1)": ["😀", null, null, null, null, null, "a"],
      "extract(s, '(.)?a$')": [null, null, null, null, null, null, "a"],
      "extract(s, 'x(y)?')": [null, null, null, "", null, null, null],
      "extract(s, 'a', 0)": ["a", null, "a", null, null, null, "a"],
      "extract(s, 'a', 3)": [null, null, null, null, null, null, null],
    },
  },
  "quotes and signs": {
    columns: {
      [hostile]: ["string", ["it's", '"x"', "\\", "$1 %s {0}", "--", "$$"]],
      "1 2": ["integer", [1, 2, 3, 4, 5, 6]],
    },
    cases: {
      [`d[${JSON.stringify(hostile)}]`]: ["it's", '"x"', "\\", "$1 %s {0}", "--", "$$"],
      [`d[${JSON.stringify(hostile)}] == "it's"`]: [true, false, false, false, false, false],
      [`d[${JSON.stringify(hostile)}].includes('"')`]: [false, true, false, false, false, false],
      [`d[${JSON.stringify(hostile)}] + "\\\\'\\"\\n"`]: [
        "it's\\'\"\n",
        '"x"\\\'"\n',
        "\\\\'\"\n",
        "$1 %s {0}\\'\"\n",
        "--\\'\"\n",
        "$$\\'\"\n",
      ],
      [`matches(d[${JSON.stringify(hostile)}], /["'\\\\]/)`]: [true, true, true, false, false, false],
      [`matches(d[${JSON.stringify(hostile)}], /^\\$|[-]{2}/)`]: [false, false, false, true, true, true],
      [`["--", "\\\\"].includes(d[${JSON.stringify(hostile)}])`]: [false, false, true, false, true, false],
      "cut(d['1 2'], [0, 3, 6], ['\\'low\\'', '\"high\"'])": ["'low'", "'low'", "'low'", '"high"', '"high"', '"high"'],
      "d['1 2'] - -1": [2, 3, 4, 5, 6, 7],
    },
  },
  "long patterns": {
    columns: { s: ["string", ["x".repeat(900), "y"]] },
    cases: {
      [`matches(s, /^${"x".repeat(900)}$/)`]: [true, false],
      [`matches(s, /${Array.from({ length: 150 }, (_, k) => `${k}y`).join("|")}|y/)`]: [false, true],
      "matches(s, /^(?:x{30}){30}$/)": [true, false],
    },
  },
  "NUL letters": {
    columns: { s: ["string", ["a\0b", "\0", "ab"]] },
    cases: {
      "s.length": [3, 1, 2],
      "s == 'a\\0b'": [true, false, false],
      "s.includes('\\0')": [true, true, false],
      "split(s, '\\0', 1)": ["b", "", null],
      "replace(s, '\\0', '-')": ["a-b", "-", "ab"],
      "matches(s, /\\0/)": [true, true, false],
      "upper(s)": ["A\0B", "\0", "AB"],
      "s + '\\0'": ["a\0b\0", "\0\0", "ab\0"],
      "s.slice(1)": ["\0b", "", "b"],
    },
  },
  "texts of numbers": {
    columns: {
      s: [
        "string",
        ["1_000", "+-5", ".5", "5.", "1e", "Infinity", "\t7\n", "-0", "1e400", "-1e-400", "9".repeat(30), "１", ""],
      ],
    },
    cases: {
      "number(s)": [null, null, 0.5, 5, null, inf, 7, 0, inf, 0, 1e30, null, null],
      "integer(s)": [null, null, 0, 5, null, null, 7, 0, null, 0, null, null, null],
    },
  },
  "texts of truth": {
    columns: { s: ["string", ["TRUE", " t ", "Yes", "1", "F", "no", "0", "on", "2", "truth", ""]] },
    cases: { "boolean(s)": [true, true, true, true, false, false, false, null, null, null, null] },
  },
  "texts of days": {
    columns: {
      s: [
        "string",
        [
          "2023-02-29",
          "2000-02-29",
          "1900-02-29",
          "2024-1-5",
          "2024/01/05",
          "2024-02-29T10:00",
          "2024-02-29 10:00:00.1234567",
          "2024-02-29T10:00:00Z",
          "2024-02-29 10:00:00+02:00",
          "2024-02-29 25:00",
          "2024-02-29 10:00:60",
          "infinity",
          "epoch",
          "today",
          "0000-01-01",
          "20240229",
          "2024-13-01",
          "9999-12-31",
        ],
      ],
    },
    cases: {
      "date(s)": [
        null,
        "2000-02-29 00:00:00",
        null,
        "2024-01-05 00:00:00",
        "2024-01-05 00:00:00",
        "2024-02-29 10:00:00",
        "2024-02-29 10:00:00.123456",
        "2024-02-29 10:00:00",
        "2024-02-29 10:00:00",
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        "9999-12-31 00:00:00",
      ],
    },
  },
  "ends of months": {
    columns: {
      d: [
        "datetime",
        [
          "2024-01-31 00:00:00",
          "2024-02-29 00:00:00",
          "2024-02-29 12:00:00",
          "1600-02-29 00:00:00",
          "2024-12-30 23:59:59.999999",
        ],
      ],
      e: [
        "datetime",
        [
          "2024-02-29 00:00:00",
          "2025-02-28 00:00:00",
          "2023-02-28 13:00:00",
          "9999-12-31 00:00:00",
          "2025-01-01 00:00:00",
        ],
      ],
    },
    cases: {
      "dateDiff(d, e, 'month')": [1, 12, -12, 100_798, 0],
      "dateDiff(e, d, 'month')": [-1, -12, 12, -100_798, 0],
      "dateDiff(d, e, 'year')": [0, 1, -1, 8399, 0],
      "dateDiff(d, e, 'quarter')": [0, 4, -4, 33_599, 0],
      "dateDiff(d, e, 'day')": [29, 365, -365, 3_067_977, 1],
      "dateDiff(d, e, 'hour')": [696, 8760, -8783, 73_631_448, 24],
      "dateTrunc(d, 'quarter')": [
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00",
        "1600-01-01 00:00:00",
        "2024-10-01 00:00:00",
      ],
      "dateTrunc(d, 'week')": [
        "2024-01-29 00:00:00",
        "2024-02-26 00:00:00",
        "2024-02-26 00:00:00",
        "1600-02-28 00:00:00",
        "2024-12-30 00:00:00",
      ],
      "dateTrunc(d, 'year')": [
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00",
        "2024-01-01 00:00:00",
        "1600-01-01 00:00:00",
        "2024-01-01 00:00:00",
      ],
      "dateTrunc(d, 'second')": [
        "2024-01-31 00:00:00",
        "2024-02-29 00:00:00",
        "2024-02-29 12:00:00",
        "1600-02-29 00:00:00",
        "2024-12-30 23:59:59",
      ],
      "weekday(d)": [2, 3, 3, 1, 0],
      "second(d)": [0, 0, 0, 0, 59],
      "text(d)": [
        "2024-01-31 00:00:00",
        "2024-02-29 00:00:00",
        "2024-02-29 12:00:00",
        "1600-02-29 00:00:00",
        "2024-12-30 23:59:59.999999",
      ],
      "least(d, e)": [
        "2024-01-31 00:00:00",
        "2024-02-29 00:00:00",
        "2023-02-28 13:00:00",
        "1600-02-29 00:00:00",
        "2024-12-30 23:59:59.999999",
      ],
      "d > '2024-02-29'": [false, false, true, false, true],
    },
  },
  "windows of no group": {
    columns: {
      s: ["string", ["b", "B", "ä", "a", null, "😀", "\ufffd"]],
      x: ["number", [1, null, 4, 2, 8, null, 5]],
      p: ["boolean", [true, false, null, true, false, true, true]],
    },
    over: { by: [], order: ["s"] },
    cases: {
      "rowNumber()": [3, 1, 4, 2, 7, 6, 5],
      "rank(s)": [3, 1, 4, 2, null, 6, 5],
      "rank()": [3, 1, 4, 2, 7, 6, 5],
      "cumsum(x)": [3, null, 7, 2, 20, null, 12],
      "cummax(x)": [2, null, 4, 2, 8, null, 5],
      "lag(s)": ["a", null, "b", "B", "😀", "\ufffd", "ä"],
      "lag(x, 100)": [null, null, null, null, null, null, null],
      "previous(x)": [1, null, 4, 2, 8, 5, 5],
      "next(x)": [1, 2, 4, 2, 8, 8, 5],
      "x - mean(x)": [-3, null, 0, -2, 4, null, 1],
      "count()": [7, 7, 7, 7, 7, 7, 7],
      "max(s) == s": [false, false, false, false, null, true, false],
    },
  },
  "a group of missing cells": {
    columns: { g: ["string", [null, "a", null]], x: ["integer", [1, 2, 3]], s: ["string", ["v", "u", "w"]] },
    over: { by: ["g"], order: [] },
    cases: {
      "sum(x)": [4, 2, 4],
      "rollingSum(x, 2)": [null, null, 4],
      "rank(s)": [1, 1, 2],
      "first(s)": ["v", "u", "v"],
      "lag(x)": [null, null, 1],
      "ntile(2)": [1, 1, 2],
    },
  },
  "groups of several columns": {
    columns: {
      g: ["string", ["a", "a", null, null, "a"]],
      h: ["integer", [1, 1, 2, 2, null]],
      x: ["number", [1, 3, null, 5, 7]],
      s: ["string", ["u", "v", "w", null, "x"]],
      p: ["boolean", [true, false, null, null, true]],
    },
    over: { by: ["g", "h"], order: [] },
    cases: {
      "sum(x)": [4, 4, 5, 5, 7],
      "mean(x)": [2, 2, 5, 5, 7],
      "count()": [2, 2, 2, 2, 1],
      "count(x)": [2, 2, 1, 1, 1],
      "std(x)": [Math.SQRT2, Math.SQRT2, null, null, null],
      "min(s)": ["u", "u", "w", "w", "x"],
      "first(x)": [1, 1, 5, 5, 7],
      "last(s)": ["v", "v", "w", "w", "x"],
      "any(p)": [true, true, null, null, true],
      "all(p)": [false, false, null, null, true],
      "rowNumber()": [1, 2, 1, 2, 1],
      "cumsum(x)": [1, 4, null, 5, 7],
      "lag(s)": [null, "u", null, "w", null],
      "rollingSum(x, 2)": [null, 4, null, null, null],
      "median(x)": [2, 2, 5, 5, 7],
      "quantile(x, 0.5)": [2, 2, 5, 5, 7],
      "countDistinct(s)": [2, 2, 1, 1, 1],
      "mode(x)": [1, 1, 5, 5, 7],
    },
  },
  "blocks' own": {
    columns: {
      n: ["integer", [5, -1, null, 0]],
      x: ["number", [2, 2.5, null, 1e20]],
      s: ["string", ["abc", "", null, "ü"]],
    },
    cases: {},
    trees: {
      "written(x)": [call("written", column("x")), ["2.0", "2.5", null, "1e+20"]],
      "hash32(s)": [call("hash32", column("s")), [2101319382, 2550759657, null, 1979656578]],
      "hash32(x)": [call("hash32", column("x")), [614727095, 3928153282, null, 2466103319]],
      "byteLength(s)": [call("byteLength", column("s")), [3, 0, null, 2]],
      "placeOf(n, [0, 5])": [call("placeOf", column("n"), { list: [0, 5] }), [1, -1, null, 0]],
      "placeOf(s, ['', 'abc'])": [call("placeOf", column("s"), { list: ["", "abc"] }), [1, 0, null, -1]],
      "placeOf(s, [])": [call("placeOf", column("s"), { list: [] }), [-1, -1, null, -1]],
      "placeOf(text(x), ['2', '2.5'])": [
        call("placeOf", call("text", column("x")), { list: ["2", "2.5"] }),
        [0, 1, null, -1],
      ],
      "itemAt(n, [0.5, 1.5])": [call("itemAt", column("n"), numberList([0.5, 1.5])), [null, null, null, 0.5]],
      "bitAt(n, 0)": [call("bitAt", column("n"), value(0)), [1, 0, null, 0]],
      "bitAt(n, 2)": [call("bitAt", column("n"), value(2)), [1, 0, null, 0]],
      "bitAt(n, 64)": [call("bitAt", column("n"), value(64)), [0, 0, null, 0]],
      "dot(vector(x, n), [2, 1])": [
        call("dot", call("vector", column("x"), column("n")), numberList([2, 1])),
        [9, 4, null, 2e20],
      ],
      "partOf(vector(x, n), 1)": [call("partOf", call("vector", column("x"), column("n")), value(1)), [5, -1, null, 0]],
      "partOf(dots(vector(x, n), [[1, 2], [0.5, 0]]), 0)": [
        call("partOf", call("dots", call("vector", column("x"), column("n")), { artifact: fitted.artifact }), value(0)),
        [12, 0.5, null, 1e20],
      ],
      "partOf(dots(vector(x, n), [[1, 2], [0.5, 0]]), 1)": [
        call("partOf", call("dots", call("vector", column("x"), column("n")), { artifact: fitted.artifact }), value(1)),
        [1, 1.25, null, 5e19],
      ],
      "endSigma('ΟΔΟΣ ΣΑΣ')": [call("endSigma", value("ΟΔΟΣ ΣΑΣ")), Array(4).fill("ΟΔΟς ΣΑς")],
      "placesOf(counts)": [call("partOf", call("placesOf", termCounts), value(0)), [1, null, null, null]],
      "weighted(counts, ['binary'], [])": [
        call("partOf", call("weighted", termCounts, { list: ["binary"] }, numberList([])), value(0)),
        [1, null, null, null],
      ],
      "norm(weighted(counts, ['sublinear'], [3, 2]), ['l2'])": [
        call("norm", call("weighted", termCounts, { list: ["sublinear"] }, numberList([3, 2])), { list: ["l2"] }),
        [2, null, null, null],
      ],
      "norm(weighted(counts, [], [3, -2]), ['l1'])": [
        call("norm", call("weighted", termCounts, { list: [] }, numberList([3, -2])), { list: ["l1"] }),
        [2, null, null, null],
      ],
      "scaled(weighted(counts, [], []), x)": [
        call(
          "partOf",
          call("scaled", call("weighted", termCounts, { list: [] }, numberList([])), column("x")),
          value(0),
        ),
        [0.5, null, null, null],
      ],
      "sigmoid(x)": [call("sigmoid", column("x")), [0.8807970779778823, 0.9241418199787566, null, 1]],
      "sigmoid(-1000 * x)": [call("sigmoid", call("multiply", column("x"), value(-1000))), [0, 0, null, 0]],
      "sortedSum(x)": [call("sortedSum", column("x")), 1e20],
      "sortedSum(n)": [call("sortedSum", column("n")), 4],
      "interpolate(x)": [call("interpolate", column("x")), [2, 2.5, 5e19, 1e20]],
    },
  },
  "dates and numbers as people write them": {
    columns: {
      d: ["string", ["3/4/2026", "2026-04-03 12:00:00 +02:00", "Apr 2026", null, "soon"]],
      s: ["string", ["1.234,5 kg", "(12)", "-$1,234", "abc", "x-2e3"]],
    },
    cases: { "d == null": [false, false, false, true, false] },
    trees: {
      "readDate(d, ['day'])": [
        call("readDate", column("d"), { list: ["day"] }),
        ["2026-04-03 00:00:00", "2026-04-03 10:00:00", "2026-04-01 00:00:00", null, null],
      ],
      "readDate(d, ['month'])": [
        call("readDate", column("d"), { list: ["month"] }),
        ["2026-03-04 00:00:00", "2026-04-03 10:00:00", "2026-04-01 00:00:00", null, null],
      ],
      "readDate(d, [])": [call("readDate", column("d"), { list: [] }), [null, "2026-04-03 10:00:00", null, null, null]],
      "unitOf(s)": [call("unitOf", column("s")), ["kg", "()", "", null, null]],
      "readNumber(s, ['point'])": [
        call("readNumber", column("s"), { list: ["point"] }),
        [1.234, -12, -1234, null, 2000],
      ],
      "readNumber(s, ['comma'])": [
        call("readNumber", column("s"), { list: ["comma"] }),
        [1234.5, -12, -1.234, null, 2000],
      ],
    },
  },
};

/**
 * The language's contract, held by every engine: what each function answers, at the edges above all.
 *
 * An engine answers each of these, or refuses the function by its name.
 */
export const conformance: Readonly<Record<string, Conformance>> = { ...usual, ...edges };

/** Each case of a conformance as a checked expression. */
export function casesOf(given: Conformance): { text: string; expr: Expr; expected: readonly Answer[] | Answer }[] {
  const written = Object.entries(given.cases).map(([text, expected]) => ({
    text,
    expr: checkedCase(text, given),
    expected,
  }));
  const trees = Object.entries(given.trees ?? {}).map(([text, [tree, expected]]) => ({
    text,
    expr: checked(text, tree, given),
    expected,
  }));
  return [...written, ...trees];
}

/** A case of a conformance, read and checked, with the window that its table looks along. */
function checkedCase(text: string, given: Conformance): Expr {
  const parsed = parse(text, new Set(Object.keys(given.columns)));
  if ("problem" in parsed) throw new Error(`${text}: ${parsed.problem.message}`);
  return checked(text, parsed.expr, given);
}

function checked(text: string, tree: Expr, { columns, over }: Conformance): Expr {
  const schema = new Map(Object.entries(columns).map(([name, [type]]) => [name, type]));
  const found = check(over ? alongWindows(tree, over) : tree, schema, {
    kinds: ["aggregate", "window"],
    where: "nothing",
  });
  if ("problem" in found) throw new Error(`${text}: ${found.problem.message}`);
  return found.expr;
}

function alongWindows(expr: Expr, over: NonNullable<Conformance["over"]>): Expr {
  if (!("call" in expr)) return expr;
  const made = { ...expr, args: expr.args.map((arg) => alongWindows(arg, over)) };
  const along = { by: over.by, order: over.order.map((column) => ({ column })) };
  return functions[expr.call].kind === "row" ? made : { ...made, over: along };
}

/** The expected cells, with what agrees to the last two digits taken as it came. */
export function near(expected: readonly Answer[] | Answer, answers: readonly Answer[]): unknown {
  const one = (want: Answer, got: Answer) => {
    const isClose =
      typeof want === "number" &&
      got !== null &&
      typeof got !== "boolean" &&
      Math.abs(Number(got) - want) <= 4e-16 * Math.abs(want);
    return isClose || (want === 0 && Object.is(got, -0)) ? got : want;
  };
  return Array.isArray(expected)
    ? expected.map((want, i) => one(want, answers[i]))
    : one(expected as Answer, answers[0]);
}
