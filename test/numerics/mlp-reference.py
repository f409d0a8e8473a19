"""Writes mlp-reference.json: what scikit-learn 1.9.1's neural networks come to. Not run by the tests."""
import json
import warnings
import numpy as np
from sklearn.neural_network import MLPClassifier, MLPRegressor

warnings.simplefilter("ignore")
# The same table as table() in data.ts.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
noise = (np.arange(n) * 613) % 97 - 48
y = np.round(4 * X[:, 0] - 3 * X[:, 1] + X[:, 2] * X[:, 0] + noise / 4.0) / 50
c = ((X[:, 0] + noise / 16.0 > 0).astype(int) + (X[:, 4] + noise / 8.0 > 9)).astype(int)
X = X / 10
out = {"origin": "mlp-reference.py with scikit-learn 1.9.1, numpy %s" % np.__version__}
usual = dict(hidden_layer_sizes=(7,), max_iter=30, random_state=5, batch_size=50)
for name, make, target, more in (
    ("numbers", MLPRegressor, y, {}), ("classes", MLPClassifier, c, {}), ("two classes", MLPClassifier, (c > 0).astype(int), {}),
    ("tanh", MLPClassifier, c, dict(activation="tanh", hidden_layer_sizes=(5, 4))), ("logistic", MLPRegressor, y, dict(activation="logistic", alpha=0.1)),
    ("steps", MLPRegressor, y, dict(solver="sgd", learning_rate_init=0.01)), ("in order", MLPRegressor, y, dict(shuffle=False)),
    ("to the end", MLPClassifier, c, dict(max_iter=500, tol=0.01)),
):
    m = make(**{**usual, **more}).fit(X, target)
    answers = m.predict_proba(X[:5]).T if make is MLPClassifier else m.predict(X[:5])
    out[name] = {"losses": m.loss_curve_, "answers": np.ravel(answers).tolist()}
json.dump(out, open(__file__.replace(".py", ".json"), "w"))
