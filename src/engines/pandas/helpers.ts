/**
 * Functions of Python for what pandas has no word for, by name; a script holds those that it calls, each once.
 *
 * They are plain functions of a cell or of a column, and answer None or NA where there is nothing.
 */
export const helpers = {
  whole: `def whole(operation, *numbers):
    """Works whole numbers out, missing where they run over 64 bits."""
    near = np.abs(operation(*(1.0 * each for each in numbers)))
    if not np.any(pd.Series(near).fillna(0) >= 2.0**62):
        return operation(*numbers)
    exact = [each.astype(object) if isinstance(each, pd.Series) else each if each is pd.NA else int(each) for each in numbers]
    is_column = any(isinstance(each, pd.Series) for each in exact)
    if not is_column:
        exact[0] = pd.Series([exact[0]], dtype=object)
    made = operation(*exact).map(lambda each: each if each is not pd.NA and -2**63 <= each < 2**63 else pd.NA).astype("Int64")
    return made if is_column else made.iloc[0]`,
  known: `def known(condition, *values):
    """What a comparison answers, missing where a value is."""
    missing = sum(1 * pd.isna(each) for each in values) > 0
    if not isinstance(condition, pd.Series):
        return pd.NA if missing else condition
    return condition.astype("boolean").mask(missing)`,
  each: `def each(dtype, function, *values):
    """What a function answers for each row, missing where a value is."""
    index = next((value.index for value in values if isinstance(value, pd.Series)), None)
    columns = [value if isinstance(value, pd.Series) else [value] * (1 if index is None else len(index)) for value in values]
    answers = [None if any(pd.isna(cell) for cell in row) else function(*row) for row in zip(*columns)]
    made = pd.Series(answers, index=index, dtype=dtype)
    return made.iloc[0] if index is None else made`,
  text: `def text(value):
    """A value as people write it: whole numbers without a point."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return str(int(value)) if value.is_integer() and abs(value) < 2**63 else repr(value)
    words = str(value)
    return words.rstrip("0") if isinstance(value, pd.Timestamp) and "." in words else words`,
  written: `def written(value):
    """A value as the table engine writes it: 2.0, true."""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else text(value)`,
  hash32: `def hash32(value):
    """The third quarter of the md5 of what is written, as a number of 32 bits."""
    return int.from_bytes(hashlib.md5(written(value).encode()).digest()[8:12], "little")`,
  number: `def number(text):
    """Text as a number."""
    text = text.strip(" \\t\\n\\v\\f\\r")
    form = r"[+-]?(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"
    return float(text) if re.fullmatch(form, text) else None`,
  integer: `def integer(text):
    """Text as a whole number, cut off behind the point; digits alone are read to the last."""
    text = text.strip(" \\t\\n\\v\\f\\r")
    value = int(text) if re.fullmatch("[+-]?[0-9]{1,999}", text) else number(text)
    return int(value) if value is not None and -2**63 <= value < 2**63 else None`,
  boolean: `def boolean(text):
    """Text as true or false."""
    words = {"true": True, "t": True, "yes": True, "y": True, "1": True}
    words |= {"false": False, "f": False, "no": False, "n": False, "0": False}
    return words.get(text.strip(" \\t\\n\\v\\f\\r").lower())`,
  date: `def date(text):
    """Text as a date, such as 2026-01-31 or 2026-01-31 12:30:00; the time is taken as it stands, whatever the zone."""
    day = r"([0-9]{4})(?:-([0-9]{1,2})-|/([0-9]{1,2})/)([0-9]{1,2})"
    time = r"[T ] *([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\\.([0-9]*))?)? *(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?"
    found = re.fullmatch(f"{day}(?:{time})?", text.strip(" \\t\\n\\v\\f\\r"))
    if not found:
        return None
    year, month, other, day, hour, minute, second, fraction = found.groups()
    micros = ((fraction or "") + "000000")[:6]
    try:
        made = datetime.datetime(int(year), int(month or other), int(day), int(hour or 0) % 24, int(minute or 0), int(second or 0), int(micros))
    except ValueError:
        return None
    if hour is None or int(hour) < 24:
        return made
    # A day has an end, at 24:00.
    is_end = int(hour) == 24 and made.minute == made.second == made.microsecond == 0
    return made + datetime.timedelta(days=1) if is_end else None`,
  months: `def months(a, b):
    """How many whole months lie between two dates; from the last day of one to that of a shorter one is whole."""
    if b < a:
        return -months(b, a)
    count = (b.year - a.year) * 12 + b.month - a.month
    return count - (a + pd.DateOffset(months=count) > b)`,
  begin: `def begin(dates, unit):
    """The begin of the week (Monday), month, quarter or year of dates."""
    days = dates.to_numpy().astype("datetime64[D]")
    if unit == "week":
        days = days - (days.astype("int64") + 3) % 7
    elif unit == "year":
        days = days.astype("datetime64[Y]")
    else:
        months = days.astype("datetime64[M]")
        days = months - months.astype("int64") % 3 if unit == "quarter" else months
    return pd.Series(days.astype("datetime64[us]"), index=dates.index).mask(dates.isna())`,
  part: `def part(text, by, k):
    """The k-th part between separators, from 0, negative from the end."""
    parts = text.split(by) if by else list(text) or [""]
    return parts[k] if -len(parts) <= k < len(parts) else None`,
  places: `def places(df, *keys):
    """Each row's place in the order of columns, missing cells last; equal ones share it."""
    codes = []
    for name, ascending in keys:
        codes.append(df[name].map(dict(zip(sorted(df[name].dropna().unique(), reverse=not ascending), range(len(df))))).astype("Int64").fillna(len(df)))
    return pd.concat(codes, axis=1, keys=range(len(keys))).groupby(list(range(len(keys)))).ngroup().astype("Int64")`,
  ntile: `def ntile(place, n, k):
    """Which of k parts of equal size a row lies in, by its place among n; the first ones are larger by a row."""
    size, larger = n // k, n % k
    edge = larger * (size + 1)
    if place <= edge:
        return (place - 1) // (size + 1) + 1
    return larger + (place - edge - 1) // size + 1`,
} as const;

export type HelperName = keyof typeof helpers;

/** What helpers call in turn. */
const calls: Partial<Readonly<Record<HelperName, readonly HelperName[]>>> = {
  written: ["text"],
  hash32: ["written"],
  integer: ["number"],
};

/** What helpers import beyond pandas and numpy. */
const imports: Partial<Readonly<Record<HelperName, string>>> = {
  hash32: "hashlib",
  number: "re",
  date: "re",
};

/** The functions that these helpers are and call, innermost first, and the modules that they import. */
export function helperSources(names: Iterable<HelperName>): {
  readonly sources: ReadonlyMap<HelperName, string>;
  readonly modules: readonly string[];
} {
  const wanted = new Set<HelperName>();
  const add = (name: HelperName) => {
    for (const inner of calls[name] ?? []) add(inner);
    wanted.add(name);
  };
  for (const name of names) add(name);
  const modules = new Set([...wanted].flatMap((name) => imports[name] ?? []));
  if (wanted.has("date")) modules.add("datetime");
  return { sources: new Map([...wanted].map((name) => [name, helpers[name]])), modules: [...modules].sort() };
}

/** The begin of a script that calls these helpers: imports, and each function once. */
export function prelude(names: Iterable<HelperName>): string {
  const { sources, modules } = helperSources(names);
  const head = [...modules.map((name) => `import ${name}`), "import numpy as np", "import pandas as pd"];
  return [head.join("\n"), ...sources.values()].join("\n\n\n");
}
