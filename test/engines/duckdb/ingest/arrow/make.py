"""Writes the Arrow files beside it, with pyarrow 26 and polars 2.1; the tests read them."""
import datetime as dt
import decimal
import pathlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
days = [dt.date(2020, 1, 2), None, dt.date(1900, 1, 1), dt.date(1, 1, 1), dt.date(9999, 12, 31)]
ticks = [0, None, 1, -1, 1700000000]
cents = [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50"), decimal.Decimal("0.01"), decimal.Decimal("99.99")]
table = pa.table(
    {
        "i8": pa.array([1, None, 3, 4, 5], pa.int8()),
        "u64": pa.array([1, 2, None, 4, 5], pa.uint64()),
        "u64_large": pa.array([1, 2, None, 4, 2**64 - 1], pa.uint64()),
        "i64": pa.array([2**60, None, 3, 4, 5], pa.int64()),
        "f32": pa.array([1.5, float("nan"), None, float("inf"), 0.1], pa.float32()),
        "f64": pa.array([1.5, float("nan"), None, float("-inf"), 0.1]),
        "bool": pa.array([True, None, False, True, True]),
        "text": pa.array(["a", None, "ü", "", "NA"]),
        "large_text": pa.array(["a", None, "ü", "", "x" * 20], pa.large_string()),
        "binary": pa.array([b"a", None, b"\xff", b"", b"x"], pa.binary()),
        "binary_2": pa.array([b"ab", None, b"cd", b"ef", b"gh"], pa.binary(2)),
        "day": pa.array(days, pa.date32()),
        "ts_s": pa.array(ticks, pa.timestamp("s")),
        "ts_ms": pa.array(ticks, pa.timestamp("ms")),
        "ts_us": pa.array(ticks, pa.timestamp("us")),
        "ts_ns": pa.array([0, None, 1000, -1000, 1700000000000], pa.timestamp("ns")),
        "ts_zone": pa.array(ticks, pa.timestamp("us", tz="Europe/Paris")),
        "time_s": pa.array([0, None, 1, 2, 86399], pa.time32("s")),
        "time_us": pa.array([0, None, 1, 2, 86399], pa.time64("us")),
        "decimal": pa.array(cents, pa.decimal128(10, 2)),
        "decimal_long": pa.array([decimal.Decimal("12345678901234567890123.5"), None, None, None, None], pa.decimal128(30, 1)),
        "dictionary": pa.array(["x", "y", None, "x", "y"]).dictionary_encode(),
        "dictionary_number": pa.array([10, 20, None, 10, 20]).dictionary_encode(),
        "list_float": pa.array([[1.0, 2.0], None, [], [3.5], [4.0]]),
        "list_int": pa.array([[1, 2], None, [], [3], [2**60]]),
        "list_text": pa.array([["a"], None, [], ["b", None], ['c"']]),
        "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 2, "b": None}, {"a": 3, "b": "z"}]),
        "map": pa.array([[("k", 1)], None, [], [("z", 2)], [("q", 3)]], pa.map_(pa.string(), pa.int64())),
        "missing": pa.nulls(5),
    }
)
with pa.OSFile(str(here / "types.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
    writer.write_table(table)
with pa.OSFile(str(here / "types.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
pq.write_table(table, here / "types.parquet")
more = pa.table(
    {
        "half": pa.array(np.array([1, 2, 0.5], dtype=np.float16)),
        "duration": pa.array([0, None, 3], pa.duration("ms")),
        "day_ms": pa.array([dt.date(2020, 1, 2), None, dt.date(1900, 1, 1)], pa.date64()),
        "decimal_256": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-2.5")], pa.decimal256(40, 2)),
        "pair": pa.array([[1.0, 2.0], [1, 1], [0, 3]], pa.list_(pa.float32(), 2)),
    }
)
with pa.OSFile(str(here / "more.arrow"), "wb") as sink, pa.ipc.new_file(sink, more.schema) as writer:
    writer.write_table(more)
batches = pa.table({"n": list(range(1000)), "text": [None if i % 10 == 0 else str(i % 7) for i in range(1000)]})
feather.write_feather(batches, here / "lz4.feather", chunksize=300)
feather.write_feather(batches, here / "zstd.feather", compression="zstd", chunksize=300)
feather.write_feather(batches, here / "version-1.feather", version=1)
pl.DataFrame(
    {
        "n": [1, 2, None],
        "text": ["short", "a text that is longer than twelve", None],
        "category": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
        "enum": pl.Series(["u", "v", "u"], dtype=pl.Enum(["u", "v"])),
        "day": [dt.date(2020, 1, 1)] * 3,
        "pair": pl.Series([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=pl.Array(pl.Float64, 2)),
        "decimal": pl.Series(["1.5", "2.5", None]).cast(pl.Decimal(10, 2)),
    }
).write_ipc(here / "polars.arrow")
frame = pd.DataFrame({"n": [1, 2], "kind": pd.Categorical(["x", "y"]), "day": pd.to_datetime(["2020-01-01", "2021-01-01"])})
frame.to_feather(here / "pandas.feather")
