"""Writes odd files into a folder by a seed, and prints as JSON which, and what input is told of each."""

import datetime
import decimal
import json
import sqlite3
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

folder, draws, n = Path(sys.argv[1]), np.random.default_rng(int(sys.argv[2])), 60
made = []


def note(file, **args):
    made.append({"file": file, "args": args or None})
    return folder / file


def text(file, content, codec="utf-8", /, **args):
    note(file, **args).write_bytes(content.encode(codec))


def gaps(values, share=0.12):
    return [None if draws.random() < share else value for value in values]


size = [float(each) for each in np.round(draws.normal(10, 3, n), 3)]
rooms = [int(each) for each in draws.integers(1, 7, n)]
city = [str(each) for each in draws.choice(["Lagos", "Oslo", "New York", "São Paulo"], n)]
kind = [str(each) for each in draws.choice(["small", "middle", "large"], n)]
ok = [bool(each) for each in draws.random(n) < 0.5]
days = [datetime.date(2023, 1, 1) + datetime.timedelta(int(each)) for each in draws.integers(0, 900, n)]
rows = range(n)
base = {"size": gaps(size), "rooms": gaps(rooms), "city": gaps(city), "kind": kind, "ok": ok}
df = pd.DataFrame(base)


def csv(columns, **how):
    return pd.DataFrame(columns).to_csv(index=False, **how)


# CSV
text("index.csv", df.to_csv())
german = {
    "Größe": [f"{each * 1000:.2f}".replace(".", ",") for each in size],
    "Preis": [f"{int(each * 100000):,}".replace(",", ".") + ",50" for each in size],
    "Datum": [day.strftime("%d.%m.%Y") for day in days],
    "PLZ": [f"{i * 7:05d}" for i in rows],
}
text("german.csv", "Bericht 2024;;;\n\n" + csv(german, sep=";"), "cp1252", skip_rows=2)
english = {
    "amount": [f"{int(each * 1000):,}" for each in size],
    "money": [f"{each * 100000:,.2f}" for each in size],
    "flag": ["TRUE" if each else "FALSE" for each in ok],
    "sparse": gaps([str(each) for each in ok]),
}
text("english.csv", csv(english))
nans = {
    "größe": size,
    "nan": draws.choice(["nan", "1.5", "2"], n),
    "more": draws.choice(["Nan", "+nan", "1.5", " nan", "2"], n),
}
text("utf16.csv", csv(nans), "utf-16")
text("utf16-headless.csv", df.to_csv(index=False, header=False), "utf-16", header=False)
text("years.csv", csv({"Country": city, "1960": size, "1961": size[::-1], "1962": rooms}))
text("numbers.csv", pd.DataFrame(draws.normal(size=(n, 4))).to_csv())
longs = {
    "id": [f"{9223372036854775000 + i}" for i in rows],
    "gaps": gaps([f"{9007199254740990 + i}" for i in rows]),
    "late": ["12345678901234567890123" if i == n - 2 else str(i) for i in rows],
    "fraction": ["12345678901234567890123" if i == n - 2 else f"{i}.5" for i in rows],
}
text("longs.csv", csv(longs))
dates = {
    "short": [f"{day.year}-{day.month}-{day.day}" for day in days],
    "nanoseconds": [f"{day} 10:20:30.12345678{i % 10}" for i, day in enumerate(days)],
    "zone": [f"{day}T10:00:00{['Z', '+02', '+0530', '-05:30'][i % 4]}" for i, day in enumerate(days)],
    "old": [f"{1400 + i}-03-04" for i in rows],
    "mixed": [str(day) if i % 2 else f"{day} 12:30" for i, day in enumerate(days)],
}
text("dates.csv", csv(dates))
text("blanks.csv", "a,b\n" + "".join(f"{'' if i % 7 == 0 else i},{i}\n" + "\n" * (i % 9 == 0) for i in rows))
text("one.csv", "v\n" + "".join(("" if i % 6 == 0 else str(size[i])) + "\n" for i in rows))
text("trailing.csv", "".join(line + ",\n" for line in df.to_csv(index=False).split("\n") if line))
text("title.csv", 'A report on 5" disks\nsecond line\n' + df.to_csv(index=False), skip_rows=2)
codes = {"code": [f"{i:04d}" for i in rows], "n": [f"{i:03d}" for i in rows], "day": days}
text("types.csv", csv(codes), types={"code": "int", "n": "number", "day": "string"})
text("words.csv", csv({"a": draws.choice(["?", "1", "2.5"], n), "c": draws.choice(["-99", "3"], n)}), na_values=["?", "-99"])
text("quotes.csv", "text,n\n" + "".join(f'"say ""{i}"", ok\nnext",{i}\n' for i in rows))
text("r.csv", '"size" "kind"\n' + "".join(f'"{i}" {size[i]} "{kind[i]}"\n' for i in rows))
text("case.csv", csv({"A": size, "a": rooms, "Kind": kind}))
text("koi.csv", csv({"город": draws.choice(["Москва", "Пермь"], n), "n": rows}), "koi8-r", encoding="koi8-r")
text("sjis.csv", csv({"町": draws.choice(["東京", "①大阪"], n), "n": rows}), "cp932", encoding="shift_jis")

# JSON
records = [{name: values[i] for name, values in base.items()} for i in rows]
sparse = [{name: value for name, value in record.items() if value is not None} for record in records]
text("records.json", json.dumps(records))
note("records.json", x_boundaries="5:-9, 0:2", y_boundaries="5:-9, 3")
text("utf16.json", json.dumps(records, ensure_ascii=False), "utf-16")
text("sparse.json", json.dumps(sparse))
text("lines.ndjson", "\n".join(json.dumps(record) for record in sparse))
text("pandas.json", df.to_json())
text("columns.json", json.dumps(base))
odd = {
    "": rows,
    "words": ["NA", "x", "None"] * (n // 3),
    "number or word": ["NA" if i % 5 == 0 else size[i] for i in rows],
    "whole or word": ["null" if i % 5 == 0 else i for i in rows],
    "truth or word": ["" if i % 5 == 0 else ok[i] for i in rows],
    "mixed": [[1, "a", 2.5, True, None][i % 5] for i in rows],
    "whole": [float(i) for i in rows],
    "long": [2**53 + i for i in rows],
    "longer": [2**63 + i for i in rows],
    "longest": [10**20 + i for i in rows],
    "long gaps": [None if i % 4 == 0 else 2**60 + i for i in rows],
    "nested": [{"a": i, "b": [1, "é", None]} for i in rows],
    "list": [[i, 1.5, "q"] for i in rows],
    "zeros": [f"{i:03d}" for i in rows],
    "day": [str(day) for day in days],
    "time": [f"{day}T10:00:00" for day in days],
    "zone": [f"{day}T10:00:00+02:00" for day in days],
    "part": [f"{day}T10:00:00.250Z" for day in days],
    "truth or number": [True if i % 2 else 1 for i in rows],
    "text": ['q"\n\\'] * n,
}
text("odd.json", json.dumps([{name: values[i] for name, values in odd.items()} for i in rows]))
text("nan.json", json.dumps([{"a": float("nan") if i % 5 == 0 else size[i], "b": float("inf") if i == 3 else i} for i in rows]))
typed = [{"zip": f"{i:05d}", "n": i, "t": str(i), "s": size[i]} for i in rows]
text("types.json", json.dumps(typed), types={"zip": "int", "n": "string", "t": "number", "s": "string"})
asked = [{"a": "?" if i % 5 == 0 else city[i], "b": "?" if i % 7 == 0 else size[i], "c": -99 if i % 3 else i} for i in rows]
text("words.json", json.dumps(asked), na_values=["?", "-99"])
text("case.json", json.dumps([{"A": i, "a": size[i]} for i in rows]))
late = [{"kind": kind[i], **({"late": i} if i > 40 else {}), "never": None} for i in rows]
text("late.ndjson", "\n".join(json.dumps(each) for each in late))
text("written.json", "[" + ",".join(f'{{"a": {i}.0, "b": {"1.50" if i % 2 else chr(34) * 2}, "e": 1e{i % 5}}}' for i in rows) + "]")

# Parquet
table = {
    "nan": pa.array([float("nan") if i % 6 == 0 else size[i] for i in rows]),
    "rooms": pa.array(base["rooms"], pa.int64()),
    "u64": pa.array([2**63 + i for i in rows], pa.uint64()),
    "small u64": pa.array(list(rows), pa.uint64()),
    "long gaps": pa.array([None if i % 4 == 0 else 2**60 + i for i in rows], pa.int64()),
    "f32": pa.array(np.array(size, "float32")),
    "dictionary": pa.array(base["city"]).dictionary_encode(),
    "ok": pa.array(gaps(ok)),
    "day": pa.array(gaps(days)),
    "ns": pa.array([datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=7 * i) for i in rows], pa.timestamp("ns")),
    "zone": pa.array([datetime.datetime(2024, 1, 1, i % 24) for i in rows], pa.timestamp("us", tz="Europe/Berlin")),
    "time": pa.array([datetime.time(i % 24, 30) for i in rows]),
    "decimal": pa.array([decimal.Decimal(f"{i}.25") for i in rows], pa.decimal128(10, 2)),
    "long decimal": pa.array([decimal.Decimal(10**25 + i) for i in rows], pa.decimal128(30, 0)),
    "words": pa.array(["NA", "x", None] * (n // 3)),
    "list": pa.array([[i, 1, None] for i in rows]),
    "struct": pa.array([{"a": i, "b": "é"} for i in rows]),
    "nothing": pa.array([None] * n, pa.float64()),
    "bytes": pa.array([b"ab%d" % (i % 5) for i in rows]),
}
pq.write_table(pa.table(table), note("types.parquet"))
df.set_index("city").to_parquet(note("indexed.parquet"))
df.sample(40, random_state=1).to_parquet(note("sampled.parquet"))
kinds = df.assign(
    ordered=pd.Categorical(kind, ["small", "middle", "large"], ordered=True),
    whole=df["rooms"].astype("Int64"),
    truth=pd.array(gaps(ok), dtype="boolean"),
    lasted=pd.to_timedelta(np.arange(n), unit="h"),
    codes=pd.Categorical(rooms),
)
kinds.to_parquet(note("pandas.parquet"))
pq.write_table(pa.table({"": pa.array(list(rows)), "a": pa.array(size)}), note("nameless.parquet"))

# Arrow
feather.write_feather(pa.table(table), note("types.feather"))
with pa.OSFile(str(note("types.arrows")), "wb") as sink, pa.ipc.new_stream(sink, pa.table(table).schema) as writer:
    writer.write_table(pa.table(table))
kinds.drop(columns="lasted").to_feather(note("pandas.feather"))

# Excel
df.to_excel(note("plain.xlsx"), index=False)
df.to_excel(note("index.xlsx"))
note("plain.xlsx", types={"rooms": "string", "size": "string"})
book = openpyxl.Workbook()
sheet = book.active
for row in (["Annual report"], [], ["size", "city", "day", "time", "at", "ok", "words", "mixed", "code", "error"]):
    sheet.append(row)
for i in rows:
    at = datetime.datetime(2024, 1, 1, i % 24, 5, i % 60)
    word, mixed = ["NA", "x", "n/a", ""][i % 4], [1, "a", 2.5, True, None][i % 5]
    sheet.append([base["size"][i], city[i], days[i], datetime.time(i % 24, 15), at, ok[i], word, mixed, f"{i:03d}", i])
    if i % 30 == 7:
        sheet.append([])
sheet.merge_cells("B5:B7")
sheet["J6"].value, sheet["J6"].data_type = "#DIV/0!", "e"
other = book.create_sheet("Other")
for row in (["a", "b"], *zip(rows, size)):
    other.append(row)
book.save(note("title.xlsx", skip_rows=2))
note("title.xlsx", sheet="Other")
book = openpyxl.Workbook()
for row in ([], [], [None, "Country", 1960, 1961, "day"], *([None, city[i], size[i], i, days[i]] for i in rows)):
    book.active.append(row)
book.save(note("years.xlsx"))
book = openpyxl.Workbook()
for i in rows:
    book.active.append([size[i], rooms[i], kind[i]])
book.save(note("headless.xlsx", header=False))

# SQLite
with sqlite3.connect(folder / "data.sqlite") as database:
    database.execute("CREATE TABLE t (id INTEGER, size REAL, city TEXT, ok BOOLEAN, day DATE, at TIMESTAMP, loose, big INTEGER)")
    loose = [1, "a", 2.5, None]
    for i in rows:
        cells = (i, base["size"][i], base["city"][i], int(ok[i]), str(days[i]), f"{days[i]} 10:00:00", loose[i % 4], 2**60 + i)
        database.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", cells)
note("data.sqlite", file_type="db", query="SELECT * FROM t WHERE id < 50 ORDER BY size, id")
note("data.sqlite", file_type="db", query="SELECT city, avg(size) AS mean, count(*) n, '%s' AS x FROM t GROUP BY city")

print(json.dumps(made))
