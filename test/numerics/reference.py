"""Writes reference.json: what numpy 2.4.6, scikit-learn 1.9.1 and pandas 3.0.6 answer. Not run by the tests."""
import json
import warnings
import numpy as np
import pandas as pd
from sklearn import metrics as M
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.simplefilter("ignore")
out = {"origin": "reference.py with numpy %s, scikit-learn 1.9.1, pandas %s" % (np.__version__, pd.__version__)}

# The same table as table() in data.ts: eighths, so that float32 and float64 agree.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
noise = (np.arange(n) * 613) % 97 - 48
y = np.round(4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + noise / 4.0)
c = ((X[:, 0] + noise / 16.0 > 0).astype(int) + (X[:, 4] + noise / 8.0 > 9)).astype(int)
w = (np.arange(n) % 4).astype(float)
out["checksum"] = [float(X.sum()), float(y.sum()), int(c.sum())]

# random and split
r = np.random.RandomState(7)
out["random"] = {
    "permutation42": np.random.RandomState(42).permutation(10).tolist(),
    "uniform7": r.random_sample(3).tolist(), "normal7": r.randn(3).tolist(), "integers7": r.randint(0, 1000, 5).tolist(),
    "checksum123": int((np.random.RandomState(123).permutation(5000).astype(np.int64) * np.arange(1, 5001)).sum()),
}
out["split"] = []
codes = np.array([(k * k) % 7 % 3 for k in range(101)])
for seed in (0, 1, 42, 4294967295):
    for name, s in (("plain", None), ("stratified", codes)):
        a, b = train_test_split(np.arange(101), test_size=26, train_size=70, random_state=seed, stratify=s)
        out["split"].append({"kind": name, "seed": seed, "train": a.tolist(), "test": b.tolist()})
out["ties"] = []
for seed in range(5):
    a, b = train_test_split(np.arange(20), test_size=6, train_size=11, random_state=seed, stratify=np.repeat([0, 1, 2, 3], 5))
    out["ties"].append({"seed": seed, "train": a.tolist(), "test": b.tolist()})

# trees
def tree(t):
    t = t.tree_
    return {"feature": np.where(t.feature < 0, -1, t.feature).tolist(), "threshold": np.where(t.feature < 0, 0, t.threshold).tolist(),
            "left": t.children_left.tolist(), "right": t.children_right.tolist(), "value": t.value[:, 0, :].ravel().tolist(),
            "nSamples": t.n_node_samples.tolist(), "impurity": t.impurity.tolist(),
            "importances": t.compute_feature_importances().tolist()}

cases = {
    "regression": (DecisionTreeRegressor, {}), "regression leaf": (DecisionTreeRegressor, dict(min_samples_leaf=5, max_depth=6)),
    "regression best first": (DecisionTreeRegressor, dict(max_leaf_nodes=12)), "regression decrease": (DecisionTreeRegressor, dict(min_impurity_decrease=3)),
    "regression features": (DecisionTreeRegressor, dict(max_features=2, min_samples_split=9)),
    "gini": (DecisionTreeClassifier, {}), "entropy": (DecisionTreeClassifier, dict(criterion="entropy")),
    "gini features": (DecisionTreeClassifier, dict(max_features="sqrt", min_samples_leaf=3)),
    "gini best first": (DecisionTreeClassifier, dict(max_leaf_nodes=9)),
    "gini weights": (DecisionTreeClassifier, dict(max_depth=5)), "regression weights": (DecisionTreeRegressor, dict(max_depth=5)),
}
out["trees"] = {}
for name, (make, args) in cases.items():
    target = c if make is DecisionTreeClassifier else y
    t = make(random_state=11, **args).fit(X, target, sample_weight=w if "weights" in name else None)
    out["trees"][name] = tree(t)
f = RandomForestRegressor(12, random_state=3).fit(X, y)
g = RandomForestClassifier(12, random_state=3).fit(X, c)
out["forest"] = {
    "regression": {"nodes": [e.tree_.node_count for e in f.estimators_], "importances": f.feature_importances_.tolist(), "predict": f.predict(X[:8] + 0.05).tolist()},
    "classification": {"nodes": [e.tree_.node_count for e in g.estimators_], "importances": g.feature_importances_.tolist(), "predict": g.predict_proba(X[:8] + 0.05).T.ravel().tolist()},
}
h = RandomForestClassifier(5, random_state=4).fit(X, c, sample_weight=w)
out["forest"]["weighted"] = {"nodes": [e.tree_.node_count for e in h.estimators_], "predict": h.predict_proba(X[:8] + 0.05).T.ravel().tolist()}

# linear; the default tol=1e-6 of 1.9 would drop every direction a million times smaller than the largest
def linear(x, t, **kw):
    m = LinearRegression(tol=1e-13, **kw).fit(x, t)
    return {"coef": np.atleast_2d(m.coef_).ravel().tolist(), "intercept": np.atleast_1d(m.intercept_).tolist(), "rank": int(m.rank_)}
Y2 = np.c_[y, noise]
dup = np.c_[X, X[:, 0] + 2 * X[:, 1], np.full(n, 3.0)]
out["linear"] = {"plain": linear(X, y), "targets": linear(X, Y2), "origin": linear(X, y, fit_intercept=False),
                 "deficient": linear(dup, Y2), "wide": linear(X[:4], Y2[:4]), "wide origin": linear(X[:4], y[:4], fit_intercept=False),
                 "near": linear(np.c_[X, X[:, 0] + 1e-6 * noise], y)}

# polynomial: plain, interactions alone, more terms than rows, dependent columns; tol as above
def polynomial(x, q, degree, interaction=False):
    p = PolynomialFeatures(degree, interaction_only=interaction, include_bias=False)
    m = LinearRegression(tol=1e-13).fit(p.fit_transform(x), y[:len(x)])
    return {"powers": p.powers_.tolist(), "coef": m.coef_.tolist(), "intercept": [float(m.intercept_)], "rank": int(m.rank_), "predict": m.predict(p.transform(q)).tolist()}
three = X[:, :3] / 4
out["polynomial"] = {"plain": polynomial(three, three[:9] + 0.05, 3), "interactions": polynomial(three, three[:9], 3, True),
                     "wide": polynomial(three[:12], three[12:20], 3), "dependent": polynomial(np.c_[three[:, 0], three[:, 1], three[:, 0] + three[:, 1]], np.c_[three[:9, 0], three[:9, 1], three[:9, 0] + three[:9, 1]], 2)}

# nearest neighbours: "grid" is full of rows equally far, "plain" (6 columns) and "broad" (18) have none
grid = np.floor(X[:, [0, 3]])
broad = np.c_[X, X[::-1], np.roll(X, 7, axis=0)]
def neighbours(x, q, **kw):
    return KNeighborsClassifier(**kw).fit(x, c).predict_proba(q).T.ravel().tolist()
out["knn"] = []
for name, x, q in (("grid", grid, np.floor(grid[:40] + (i[:40] % 3) - 1)), ("plain", X, X[:40] + 0.05), ("broad", broad, broad[:20] + 0.05)):
    for kw in (dict(n_neighbors=5), dict(n_neighbors=1), dict(n_neighbors=8, weights="distance"), dict(n_neighbors=5, p=1), dict(n_neighbors=6, p=3, weights="distance"),
               dict(n_neighbors=5, metric="chebyshev"), dict(n_neighbors=5, metric="manhattan", weights="distance"), dict(n_neighbors=5, p=0.5),
               dict(n_neighbors=5, metric="cosine"), dict(n_neighbors=130)):
        if name == "grid" and (kw.get("p") == 0.5 or kw.get("metric") == "cosine" or kw["n_neighbors"] == 130): continue
        out["knn"].append({"name": name, **kw, "probability": [round(v, 12) for v in neighbours(x, q, **kw)]})

# naive Bayes
def bayes(**kw):
    m = GaussianNB(**kw).fit(X, c)
    return {"theta": m.theta_.ravel().tolist(), "variance": m.var_.ravel().tolist(), "probability": m.predict_proba(X[:12] + 0.05).T.ravel().tolist()}
out["bayes"] = {"plain": bayes(), "smooth": bayes(var_smoothing=0.1), "priors": bayes(priors=[0.5, 0.3, 0.2])}

# logistic; the default solver stops 2e-6 short of the minimum even at tol=1e-10, Newton does not
def logistic(x, t, weights=None, **kw):
    m = LogisticRegression(tol=1e-14, max_iter=1000, solver="newton-cholesky", **kw).fit(x, t, sample_weight=weights)
    return {"coef": m.coef_.ravel().tolist(), "intercept": m.intercept_.tolist(), "probability": m.predict_proba(x[:5]).T.ravel().tolist()}
b = (c > 0).astype(int)
out["logistic"] = {"multi": logistic(X, c), "binary": logistic(X, b), "weighted": logistic(X, c, w), "c": logistic(X, b, C=0.05),
                   "origin": logistic(X, b, fit_intercept=False)}

# metrics
pred = np.round(y + noise / 3.0)
pc = np.where(noise > 25, (c + 1) % 3, c)
P = np.abs(np.c_[X[:, 0], X[:, 1], X[:, 2]]) + 0.5 + 3 * (np.arange(3)[None, :] == c[:, None])
P = P / P.sum(axis=1, keepdims=True)
rep = M.classification_report(c, pc, output_dict=True)
fpr, tpr, thr = M.roc_curve(b, np.round(P[:, 1], 2))
thr[0] = 1e300
out["metrics"] = {
    "regression": {"r2": M.r2_score(y, pred), "mae": M.mean_absolute_error(y, pred), "mse": M.mean_squared_error(y, pred),
                   "rmse": M.root_mean_squared_error(y, pred), "mape": M.mean_absolute_percentage_error(y, pred)},
    "classification": {"accuracy": M.accuracy_score(c, pc), "precision": M.precision_score(c, pc, average="weighted"),
                       "recall": M.recall_score(c, pc, average="weighted"), "f1": M.f1_score(c, pc, average="weighted"),
                       "rocAuc": M.roc_auc_score(c, P, multi_class="ovr", average="macro"), "logLoss": M.log_loss(c, P)},
    "confusion": M.confusion_matrix(c, pc).ravel().tolist(),
    "report": {k: {"precision": v["precision"], "recall": v["recall"], "f1": v["f1-score"], "support": v["support"]} for k, v in rep.items() if k != "accuracy"},
    "binaryAuc": M.roc_auc_score(b, np.round(P[:, 1], 2)),
    "roc": {"fpr": fpr.tolist(), "tpr": tpr.tolist(), "thresholds": thr.tolist()},
    "precisionRecall": dict(zip(("precision", "recall"), [v[::-1].tolist() for v in M.precision_recall_curve(b, np.round(P[:, 1], 2))[:2]]),
                            average=M.average_precision_score(b, np.round(P[:, 1], 2))),
    "absent": {k: {"precision": v["precision"], "recall": v["recall"], "f1": v["f1-score"], "support": v["support"]}
               for k, v in M.classification_report([0, 0, 1, 1], [0, 3, 1, 1], output_dict=True).items() if "avg" in k},
}

# statistics
v = X[:, 2] * 1.1
holes = X.copy()
holes[(i * 3 + j * 5) % 11 == 0] = np.nan
out["statistics"] = {"quantiles": np.quantile(v, [0.25, 0.5, 0.75, 0.1, 0.995]).tolist(),
                     "correlations": pd.DataFrame(X).corr().values.ravel().tolist(),
                     "holes": pd.DataFrame(holes).corr().values.ravel().tolist()}
def plain(v):
    if isinstance(v, dict): return {k: plain(u) for k, u in v.items()}
    if isinstance(v, (list, tuple)): return [plain(u) for u in v]
    if isinstance(v, float) and v != v: return None
    return v

json.dump(plain(out), open("reference.json", "w"), separators=(",", ":"))
