"""Runs scripts, each in a namespace of its own: a line of JSON for each, a line of JSON back."""

import io
import json
import math
import os
import sys
import traceback
import warnings
from contextlib import redirect_stdout

# Threads of OpenMP that wait for each other on a busy machine take minutes for what takes one thread a second.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd

if not sys.warnoptions:
    warnings.simplefilter("ignore")


def cell(value):
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) <= 2**53 - 1 else str(int(value))
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            return None
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ")
    return str(value)


def table(frame):
    columns = [[cell(value) for value in frame.iloc[:, k].tolist()] for k in range(frame.shape[1])]
    return {"names": [str(name) for name in frame.columns], "columns": columns, "rows": len(frame)}


def artifacts(names):
    df, x, y = names.get("df"), names.get("x"), names.get("y")
    found = {}
    if df is not None:
        found["dataset"] = table(df)
        for role, chosen in (("x", x), ("y", y)):
            if chosen is None:
                continue
            found[f"{role}_value"] = table(df[chosen])
            for fold in ("train", "test"):
                if fold in names:
                    found[f"{role}_{fold}"] = table(df.loc[names[fold], chosen])
    if "y_pred" in names:
        made = names["y_pred"]
        found["y_pred"] = table(made if isinstance(made, pd.DataFrame) else pd.DataFrame({"y_pred": made}))
    return found


def plain(value):
    if isinstance(value, dict):
        return {str(cell(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return cell(value)


for line in sys.stdin:
    printed = io.StringIO()
    answer = {}
    try:
        names = {"__name__": "__main__"}
        with redirect_stdout(printed):
            exec(compile(json.loads(line), "script", "exec"), names)
        answer = {"artifacts": artifacts(names), "scores": plain(names.get("scores"))}
    except BaseException as error:
        where = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == "script"]
        at = f" at line {where[-1].lineno}" if where else ""
        answer = {"error": f"{type(error).__name__}{at}: {error}"}
    answer["printed"] = printed.getvalue()
    print(json.dumps(answer), flush=True)
