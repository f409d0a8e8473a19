"""Writes cluster-reference.json: what scikit-learn 1.9.1 answers for clusters of a table. Not run by the tests."""
import json
import numpy as np
from sklearn import metrics as M
from sklearn.cluster import AgglomerativeClustering, KMeans

# The same table as table() in data.ts; distances of its rows are all different.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
c = (np.arange(n) * 5) % 3

def scores(labels):
    return {"silhouette": M.silhouette_score(X, labels), "davies_bouldin": M.davies_bouldin_score(X, labels),
            "calinski_harabasz": M.calinski_harabasz_score(X, labels), "ari": M.adjusted_rand_score(c, labels),
            "nmi": M.normalized_mutual_info_score(c, labels)}

out = {"origin": "cluster-reference.py with scikit-learn 1.9.1, numpy %s" % np.__version__, "kmeans": [], "joins": []}
for k, seed in ((2, 0), (3, 0), (5, 7), (8, 42)):
    m = KMeans(k, n_init=2, random_state=seed).fit(X)
    out["kmeans"].append({"k": k, "seed": seed, "labels": m.labels_.tolist(), "inertia": m.inertia_, "scores": scores(m.labels_)})
for linkage in ("ward", "complete", "average", "single"):
    for metric in ("euclidean", "manhattan", "cosine"):
        if linkage == "ward" and metric != "euclidean":
            continue
        m = AgglomerativeClustering(4, linkage=linkage, metric=metric, compute_distances=True).fit(X)
        out["joins"].append({"linkage": linkage, "metric": metric, "labels": m.labels_.tolist(), "heights": m.distances_[-10:].tolist()})
json.dump(out, open(__file__.replace(".py", ".json"), "w"))
