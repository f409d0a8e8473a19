"""Writes counts-reference.json: what scikit-learn 1.9.1 answers for Poisson and quantile regression. Not run by the tests."""
import json
import numpy as np
from sklearn.linear_model import PoissonRegressor, QuantileRegressor

# The same table as table() in data.ts.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
noise = (np.arange(n) * 613) % 97 - 48
y = np.round(4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + noise / 4.0)
counts = np.maximum(0, np.round(np.exp(0.3 * X[:, 0] - 0.05 * X[:, 1]) + noise / 30.0))
wide = np.column_stack([X[:8], X[8:16] ** 2 / 50])

def poisson(x, t, **kw):
    m = PoissonRegressor(solver="newton-cholesky", tol=1e-12, max_iter=1000, **kw).fit(x, t)
    return {"coef": m.coef_.tolist(), "intercept": float(m.intercept_)}

def sure(x, t):
    m = PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(x, t)
    mean = m.predict(x)
    full = np.column_stack([x, np.ones(len(x))])
    errors = np.sqrt(np.diag(np.linalg.inv(full.T @ (full * mean[:, None]))))
    return {"errors": errors.tolist(), "dispersion": float(np.sum((t - mean) ** 2 / mean) / (len(x) - full.shape[1]))}

def quantile(x, t, q, alpha, intercept=True):
    m = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=intercept, solver="highs").fit(x, t)
    r = t - m.predict(x)
    value = np.mean(np.where(r > 0, q * r, (q - 1) * r)) + alpha * np.abs(m.coef_).sum()
    return {"coef": m.coef_.tolist(), "intercept": float(m.intercept_), "value": float(value)}

out = {"origin": "counts-reference.py with scikit-learn 1.9.1, numpy %s" % np.__version__}
out["poisson"] = {
    "usual": poisson(X, counts, alpha=1), "free": poisson(X, counts, alpha=0), "strict": poisson(X, counts, alpha=30),
    "origin": poisson(X, counts, alpha=0.5, fit_intercept=False), "wide": poisson(wide, counts[:8], alpha=0.1),
    "large": poisson(X, counts * 1e5, alpha=0),
}
out["sure"] = sure(X, counts)
out["quantile"] = {
    "median": quantile(X, y, 0.5, 0), "low": quantile(X, y, 0.05, 0), "high": quantile(X, y, 0.95, 0),
    "penalised": quantile(X, y, 0.3, 0.5), "origin": quantile(X, y, 0.7, 0.2, False), "wide": quantile(wide, y[:8], 0.5, 0.01),
    "counts": quantile(np.round(X[:, :2]), counts, 0.75, 0), "strict": quantile(X, y, 0.5, 100),
}
with open(__file__.replace(".py", ".json"), "w") as file:
    json.dump(out, file)
    file.write("\n")
