"""Writes boost-reference.json: what scikit-learn 1.9.1's HistGradientBoosting answers. Not run by the tests."""
import json
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier as C, HistGradientBoostingRegressor as R

# The same table as in boost/fit.test.ts: many rows, so that no two splits are equally good.
n, d = 3000, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = (i * (i + 7) * (j + 11) * 7919 + j * 104729 + i * i * 31) % 1000003 // 5000 / 20.0
noise = (np.arange(n) * 613) % 97 / 97.0
y = 4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + 9 * noise
c = (y > 5).astype(int) + (y > 30).astype(int)
# Where all rows weigh the same, gradients of classes and quantiles are so few that many splits tie.
w = 1 + (np.arange(n) * 31 % 101) / 101.0
holes = X.copy()
holes[(i * 3 + j * 5) % 11 == 0] = np.nan
kinds = holes.copy()
kinds[:, 0] = (np.arange(n) * 7 + np.floor(X[:, 1]).astype(int)) % 9
kinds[::13, 0] = np.nan

few = dict(early_stopping=False, random_state=0, max_iter=8, min_samples_leaf=30)
cases = {
    "numbers": (R(**few), X, y, None),
    "few leaves and levels": (R(**few, max_leaf_nodes=5, max_depth=3, l2_regularization=2.5, learning_rate=0.4), X, y, None),
    "few bins": (R(**few, max_bins=7), X, y, None),
    "weights": (R(**few), X, y, w),
    "missing cells": (R(**few), holes, y, None),
    "categories": (R(**few, categorical_features=[0]), kinds, y, None),
    "rising and falling": (R(**few, monotonic_cst=[1, -1, 0, 0, 0, 0]), X, y, None),
    "absolute error": (R(**few, loss="absolute_error"), X, y, None),
    "counts": (R(**few, loss="poisson"), X, np.abs(y), None),
    "two classes": (C(**few), holes, (c > 0).astype(int), w),
    "three classes": (C(**few), holes, c, w),
    "classes of categories": (C(**few, categorical_features=[0]), kinds, (c > 0).astype(int), None),
}
out = {"origin": "boost-reference.py with scikit-learn 1.9.1"}
for name, (model, features, target, weight) in cases.items():
    model.fit(features, target, sample_weight=weight)
    answer = model.predict_proba(features) if hasattr(model, "predict_proba") else model.predict(features)[:, None]
    out[name] = answer[::150].T.ravel().tolist()

# 450 rows: of the bins' edges some lie between two rows, and of 150 classes with three rows each most splits tie.
some = dict(early_stopping=False, min_samples_leaf=20)
x, y450 = (i[:450] * 7919 + j * 104729 + i[:450] * i[:450] * (j + 3)) % 1009 / 128.0, (np.arange(450) * 7) % 150
out["450 numbers"] = R(**some).fit(x, y450).predict(x)[::30].tolist()
out["150 classes"] = C(**some, max_iter=4).fit(x, y450).predict_proba(x)[::150].T.ravel().tolist()

# Nodes whose rows all pull alike are split by what rounding leaves, and of many columns of few rows even first splits tie.
ranked = dict(early_stopping=False, max_iter=20)
out["quantile"] = R(**ranked, loss="quantile", quantile=0.8).fit(X, y).predict(X)[::150].tolist()
j60 = np.arange(60)[None, :]
wide, y42 = (i[:42] * 7919 + j60 * 104729 + i[:42] * i[:42] * (j60 + 3)) % 1009 / 128.0, (np.arange(42) * 7) % 42
out["60 columns"] = R(**ranked, loss="absolute_error").fit(wide, y42).predict(wide).tolist()

# Rows in bins that no row of a node has.
out["other rows"] = R(**ranked).fit(holes[::9], y[::9]).predict(holes)[::30].tolist()

# Where rows are held out, the rounds that were enough.
many = dict(early_stopping=True, max_iter=200, n_iter_no_change=4, min_samples_leaf=30, random_state=5)
out["rounds"] = {"numbers": int(R(**many).fit(X, y).n_iter_), "classes": int(C(**many).fit(X, c).n_iter_)}
json.dump(out, open("boost-reference.json", "w"), separators=(",", ":"))
