"""Writes svm-reference.json: what scikit-learn 1.9.1 answers. Not run by the tests."""
import json
import warnings
import numpy as np
from sklearn.svm import SVC, SVR

warnings.simplefilter("ignore")
# The same table as table() in data.ts, divided by 16: sixteenths of eighths, which are exact.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
noise = (np.arange(n) * 613) % 97 - 48
y = np.round(4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + noise / 4.0)
c = ((X[:, 0] + noise / 16.0 > 0).astype(int) + (X[:, 4] + noise / 8.0 > 9)).astype(int)
w = (np.arange(n) % 4).astype(float)
X, y, b = X / 16, y / 16, (c > 0).astype(int)
out = {"origin": "svm-reference.py with scikit-learn 1.9.1", "svc": {}, "svr": {}}

def svc(name, t, weight=None, **kw):
    m = SVC(probability=True, random_state=3, **kw).fit(X, t, sample_weight=weight)
    k = len(m.classes_)
    pairs = SVC(decision_function_shape="ovo", **kw).fit(X, t, sample_weight=weight).decision_function(X[:9])
    out["svc"][name] = {
        "support": (np.flatnonzero(weight) if weight is not None else np.arange(n))[m.support_].tolist(),
        "coef": m._dual_coef_.ravel().tolist(), "intercept": m._intercept_.tolist(), "iterations": int(m.n_iter_.sum()),
        "counts": m.n_support_.tolist(), "decisions": (-pairs if k == 2 else pairs.T).ravel().tolist(),
        "codes": m.predict(X).tolist(), "probability": m.predict_proba(X[:9]).T.ravel().tolist()}

def svr(name, **kw):
    m = SVR(**{"tol": 1e-9, **kw}).fit(X, y)
    out["svr"][name] = {"support": m.support_.tolist(), "coef": m.dual_coef_.ravel().tolist(),
                        "intercept": m.intercept_.tolist(), "predicted": m.predict(X[:9]).tolist()}

for kernel in ("linear", "poly", "rbf", "sigmoid"):
    svc(kernel, c, kernel=kernel)
    svr(kernel, kernel=kernel)
svc("binary", b, kernel="rbf")
svc("weights", c, w, kernel="rbf", C=3)
svc("poly 2", b, kernel="poly", degree=2, coef0=1.0, gamma=0.5)
svc("no shrinking", c, kernel="rbf", gamma="auto", C=20, shrinking=False)
svc("tight", c, kernel="rbf", C=50, tol=1e-7)
svr("wide", C=30, epsilon=0.5)
svr("no tube", C=2, epsilon=0)
svr("no shrinking", C=5, gamma="auto", shrinking=False)
# 197 classes of 2 or 3 rows each: 19,306 pairs.
i = np.arange(450)[:, None]
many = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 - 20) / 128.0
m = SVC(kernel="linear", probability=True, random_state=3).fit(many, i[:, 0] % 197)
out["many"] = {"support": m.support_.tolist(), "intercept": m.intercept_[::97].tolist(), "iterations": int(m.n_iter_.sum()),
               "codes": m.predict(many).tolist(), "probability": m.predict_proba(many[:2]).T.ravel().tolist()}
json.dump(out, open("svm-reference.json", "w"), separators=(",", ":"))
