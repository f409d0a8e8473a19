"""Writes penalized-reference.json: what scikit-learn 1.9.1 answers for ridge, lasso, elastic net and logistic regression. Not run by the tests."""
import json
import warnings
import numpy as np
from sklearn.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticRegression, Ridge, RidgeCV
from statsmodels.discrete.discrete_model import MNLogit

warnings.simplefilter("ignore")
# The same table as table() in data.ts.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
noise = (np.arange(n) * 613) % 97 - 48
y = np.round(4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + noise / 4.0)
# Twelve features for eight rows.
W = np.column_stack([X[:8], X[8:16] ** 2 / 50])
twice = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])

def fitted(model, x, t):
    m = model.fit(x, t)
    return {"coef": m.coef_.tolist(), "intercept": float(m.intercept_)}

far = dict(tol=1e-14, max_iter=1_000_000)
out = {"origin": "penalized-reference.py with scikit-learn 1.9.1, numpy %s" % np.__version__}
out["ridge"] = {
    "tall": fitted(Ridge(2.5), X, y), "origin": fitted(Ridge(10, fit_intercept=False), X, y), "dependent": fitted(Ridge(3), twice, y),
    "wide": fitted(Ridge(0.5), W, y[:8]), "wide origin": fitted(Ridge(0.5, fit_intercept=False), W, y[:8]),
    "positive": fitted(Ridge(4, positive=True, tol=1e-12, max_iter=100_000), X, y),
}
alphas = [1e-3, 1, 10, 100, 1e3, 1e4, 1e5]
def chosen(x, t, **kw):
    m = RidgeCV(alphas, store_cv_results=True, **kw).fit(x, t)
    return {"alpha": float(m.alpha_), "errors": m.cv_results_.mean(0).tolist()}
out["leave one out"] = {"alphas": alphas, "tall": chosen(X, y), "origin": chosen(X, y, fit_intercept=False), "wide": chosen(W, y[:8])}
out["elastic"] = {
    "lasso": fitted(Lasso(1.2, **far), X, y), "lasso strong": fitted(Lasso(20, **far), X, y),
    "net": fitted(ElasticNet(0.4, l1_ratio=0.3, **far), X, y), "origin": fitted(ElasticNet(0.4, fit_intercept=False, **far), X, y),
    "positive": fitted(ElasticNet(0.4, positive=True, **far), X, y), "squares": fitted(Ridge(0.4 * n), X, y),
    "wide": fitted(Lasso(0.7, **far), W, y[:8]), "wide net": fitted(ElasticNet(0.7, l1_ratio=0.4, **far), W, y[:8]),
}
def path(model, x, t):
    m = model.fit(x, t)
    return {"alpha": float(m.alpha_), "alphas": m.alphas_.tolist(), "errors": m.mse_path_.mean(-1).tolist()}
out["path"] = {
    "lasso": path(LassoCV(cv=5, tol=1e-10, max_iter=100_000), X, y), "net": path(ElasticNetCV(l1_ratio=0.3, cv=5, tol=1e-10, max_iter=100_000), X, y),
}
c = ((X[:, 0] + noise / 16.0 > 0).astype(int) + (X[:, 4] + noise / 8.0 > 9)).astype(int)
w = (np.arange(n) % 4).astype(float)
def classes(t, weights=None, **kw):
    m = LogisticRegression(solver="saga", tol=1e-13, max_iter=1_000_000, random_state=0, **kw).fit(X, t, weights)
    # Of several classes only the intercepts' differences matter.
    return {"coef": m.coef_.ravel().tolist(), "intercept": (m.intercept_ - (m.intercept_.mean() if len(m.intercept_) > 1 else 0)).tolist()}
out["logistic"] = {
    "sizes": classes((c > 0).astype(int), C=0.05, l1_ratio=1), "both": classes((c > 0).astype(int), C=0.05, l1_ratio=0.4),
    "several": classes(c, C=0.1, l1_ratio=1), "weighted": classes(c, w, C=0.03, l1_ratio=0.7),
    "origin": classes(c, C=0.1, l1_ratio=0.8, fit_intercept=False), "none": classes((c > 0).astype(int), C=np.inf),
}

def sure(t, intercept):
    # The inverse of the information at the fit without a penalty.
    m = LogisticRegression(C=np.inf, fit_intercept=intercept, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, t)
    share = m.predict_proba(X)[:, 1]
    full = np.column_stack([X, np.ones(n)]) if intercept else X
    return np.sqrt(np.diag(np.linalg.inv(full.T @ (full * (share * (1 - share))[:, None])))).tolist()
out["logistic"]["sure"] = sure((c > 0).astype(int), True)
out["logistic"]["sure_origin"] = sure((c > 0).astype(int), False)

def several(intercept):
    # statsmodels 0.15.0: what the second and third class differ by from the first, feature after feature, the intercept last.
    full = np.column_stack([X, np.ones(n)]) if intercept else X
    m = MNLogit(c, full).fit(disp=0, method="newton", maxiter=500, tol=1e-14)
    return {"apart": m.params.T.ravel().tolist(), "errors": m.bse.T.ravel().tolist()}
out["logistic"]["sure_several"] = several(True)
out["logistic"]["sure_several_origin"] = several(False)
json.dump(out, open(__file__.replace(".py", ".json"), "w"))
