"""Writes rbm-reference.json: what scikit-learn 1.9.1's BernoulliRBM answers. Not run by the tests."""
import json
import os
import numpy as np
from sklearn.neural_network import BernoulliRBM


def table(n, d, kind):
    """The same as cells() in rbm.test.ts."""
    i, j = np.arange(n)[:, None], np.arange(d)[None, :]
    x = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) / 1008
    if kind == "binary":
        return (x > 0.6).astype(float)
    return np.where(x > 0.5, x, 0.0) if kind == "zeros" else x


cases = []
for name, n, d, kind, k, batch, epochs, rate, seed in [
    ("a last batch that is smaller", 37, 11, "dense", 5, 10, 3, 0.1, 3),
    ("binary cells", 50, 6, "binary", 17, 7, 4, 0.05, 0),
    ("many zeros, and more units than a tile", 64, 21, "zeros", 35, 8, 2, 0.3, 42),
    ("fewer rows than a batch", 4, 9, "dense", 3, 10, 5, 0.1, 1),
    ("one feature and one unit", 12, 1, "binary", 1, 1, 2, 0.1, 4294967295),
    ("large batches of few zeros, the last smaller", 90, 13, "dense", 19, 37, 4, 0.2, 5),
    ("a batch of all rows", 40, 8, "zeros", 16, 40, 6, 1.0, 7),
]:
    x = table(n, d, kind)
    m = BernoulliRBM(n_components=k, learning_rate=rate, batch_size=batch, n_iter=epochs, random_state=seed).fit(x)
    cases.append({
        "name": name, "n": n, "d": d, "kind": kind, "hidden": k, "batch": batch, "epochs": epochs, "rate": rate, "seed": seed,
        "weights": m.components_.ravel().round(13).tolist(), "hiddenBias": m.intercept_hidden_.round(13).tolist(),
        "visibleBias": m.intercept_visible_.round(13).tolist(), "on": m.transform(x[:3]).ravel().round(13).tolist(),
        "scores": m.score_samples(x)[:8].round(12).tolist(),
    })
origin = "rbm-reference.py with numpy %s and scikit-learn 1.9.1" % np.__version__
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rbm-reference.json")
json.dump({"origin": origin, "cases": cases}, open(path, "w"))
