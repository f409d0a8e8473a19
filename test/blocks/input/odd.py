"""Writes odd.parquet as pyarrow does, whose statistics leave NaN out: python odd.py."""

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

nan = float("nan")
table = pa.table({
    "f": pa.array([1.5, nan, None, 4.5]),
    "f32": pa.array([1.0, nan, 2.0, 3.0], pa.float32()),
    "inf": pa.array([1.0, float("inf"), float("-inf"), None]),
    "u64": pa.array([2**64 - 1, 2**64 - 2, 1, None], pa.uint64()),
    "small": pa.array([1, 2, None, 3], pa.uint64()),
    "wide": pa.array([Decimal("12345678901234567890123.45"), Decimal("12345678901234567890123.46"), None, Decimal(1)], pa.decimal128(38, 2)),
    "price": pa.array([Decimal("1.10"), Decimal("2.20"), None, Decimal(1)], pa.decimal128(10, 2)),
    "": pa.array([1, 2, 3, 4]),
    "garage": pa.array(["NA", "x", "", "y"]),
})
pq.write_table(table, "odd.parquet")
