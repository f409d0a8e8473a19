"""Writes cluster-reference.json: what scikit-learn 1.9.1 answers for clusters of a table. Not run by the tests."""
import json
import numpy as np
from sklearn.cluster._hdbscan import hdbscan
from sklearn import metrics as M
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans

# The same table as table() in data.ts; distances of its rows are all different.
n, d = 240, 6
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009 % (40 + 150 * (j % 3)) - 20) / 8.0
c = (np.arange(n) * 5) % 3

def scores(labels):
    return {"silhouette": M.silhouette_score(X, labels), "davies_bouldin": M.davies_bouldin_score(X, labels),
            "calinski_harabasz": M.calinski_harabasz_score(X, labels), "ari": M.adjusted_rand_score(c, labels),
            "nmi": M.normalized_mutual_info_score(c, labels)}

out = {"origin": "cluster-reference.py with scikit-learn 1.9.1, numpy %s" % np.__version__, "kmeans": [], "joins": [], "dense": [], "isolated": []}
for k, seed in ((2, 0), (3, 0), (5, 7), (8, 42)):
    m = KMeans(k, n_init=2, random_state=seed).fit(X)
    out["kmeans"].append({"k": k, "seed": seed, "labels": m.labels_.tolist(), "inertia": m.inertia_, "scores": scores(m.labels_)})
for linkage in ("ward", "complete", "average", "single"):
    for metric in ("euclidean", "manhattan", "cosine"):
        if linkage == "ward" and metric != "euclidean":
            continue
        m = AgglomerativeClustering(4, linkage=linkage, metric=metric, compute_distances=True).fit(X)
        out["joins"].append({"linkage": linkage, "metric": metric, "labels": m.labels_.tolist(), "heights": m.distances_[-10:].tolist()})

# Odd tables for DBSCAN: ties on a grid, equal rows, a column that is the same, far from 0, many columns, one row.
a, b = np.arange(400)[:, None], np.arange(12)[None, :]
W = ((a * 7919 + b * 104729 + a * a * (b + 3)) % 1009) / 100.0
tables = {"table": X, "scaled": (X - X.mean(0)) / X.std(0), "wide": W, "far": W[:, :5] + 1e9, "grid": W[:, :2].round(0),
          "same": np.c_[W[:, :2], np.ones(400)], "equal": np.ones((30, 3)), "one": np.ones((1, 2)), "zeros": W[:, :3].round(0) // 6}
for name, eps, min_samples, metric, p in (
    ("table", 6, 4, "euclidean", None), ("table", 16, 6, "manhattan", None), ("scaled", 1.1, 5, "euclidean", None),
    ("scaled", 0.9, 4, "chebyshev", None), ("scaled", 1, 5, "minkowski", 3), ("scaled", 0.2, 6, "cosine", None),
    ("wide", 8, 5, "euclidean", None), ("far", 2.2, 5, "euclidean", None), ("grid", 1, 18, "euclidean", None),
    ("same", 0.4, 4, "euclidean", None), ("equal", 0.5, 5, "euclidean", None), ("one", 0.5, 5, "euclidean", None),
    ("one", 0.5, 1, "euclidean", None), ("zeros", 0.1, 5, "cosine", None)):
    m = DBSCAN(eps=eps, min_samples=min_samples, metric=metric, p=p).fit(tables[name])
    out["dense"].append({"table": name, "eps": eps, "min": min_samples, "metric": metric, "p": p or 2, "labels": m.labels_.tolist(),
                         "core": len(m.core_sample_indices_)})
for name, args in (
    ("table", {"random_state": 0}), ("wide", {"random_state": 3, "contamination": 0.1}), ("grid", {"random_state": 1}),
    ("same", {"random_state": 7, "n_estimators": 20, "max_samples": 0.3}), ("wide", {"random_state": 2, "max_features": 0.4}),
    ("table", {"random_state": 5, "bootstrap": True}), ("table", {"random_state": 6, "max_samples": 238}), ("wide", {"random_state": 8, "max_samples": 3}),
    ("equal", {"random_state": 0}), ("one", {"random_state": 0})):
    m = IsolationForest(**args).fit(tables[name])
    scores = m.score_samples(tables[name])
    out["isolated"].append({"table": name, "args": args, "samples": m.max_samples_, "scores": scores[::7].tolist(),
                            "quantile": np.percentile(scores, 10)})
out["mixtures"] = []
for name, k, args in (
    ("table", 3, {}), ("table", 4, {"covariance_type": "tied"}), ("scaled", 3, {"covariance_type": "diag", "tol": 1e-6, "random_state": 5}),
    ("scaled", 5, {"covariance_type": "spherical", "reg_covar": 0.01}), ("wide", 2, {"tol": 1e-5, "max_iter": 400}),
    ("wide", 3, {"covariance_type": "tied", "n_init": 3, "random_state": 1}), ("wide", 4, {"covariance_type": "diag", "max_iter": 7, "n_init": 4}),
    ("same", 3, {}), ("same", 2, {"covariance_type": "diag"}), ("equal", 1, {}), ("scaled", 1, {"covariance_type": "spherical"})):
    m = GaussianMixture(k, **{"random_state": 0, **args}).fit(tables[name])
    shares = m.predict_proba(tables[name])
    out["mixtures"].append({"table": name, "k": k, "args": args, "labels": m.predict(tables[name]).tolist(), "score": m.score(tables[name]),
                            "aic": m.aic(tables[name]), "bic": m.bic(tables[name]), "steps": m.n_iter_, "converged": m.converged_,
                            "weights": m.weights_.tolist(), "means": m.means_.ravel().tolist(), "covariances": m.covariances_.ravel().tolist(),
                            "shares": shares[::17].ravel().tolist()})

# numpy's sort leaves open which of equally long edges comes first; here it is the one that was found first.
def process(edges):
    return hdbscan.make_single_linkage(edges[np.argsort(edges["distance"], kind="stable")])

hdbscan._process_mst = process
out["densities"] = []
for name, args in (
    ("table", {}), ("table", {"min_cluster_size": 3}), ("table", {"min_samples": 2, "cluster_selection_method": "leaf"}), ("scaled", {"min_samples": 1}),
    ("scaled", {"min_cluster_size": 4, "min_samples": 3, "metric": "manhattan"}), ("scaled", {"min_cluster_size": 3, "metric": "chebyshev"}),
    ("wide", {}), ("wide", {"min_cluster_size": 2, "min_samples": 3, "cluster_selection_epsilon": 2}), ("wide", {"allow_single_cluster": True}),
    ("wide", {"min_cluster_size": 3, "cluster_selection_method": "leaf", "cluster_selection_epsilon": 3}), ("far", {"min_cluster_size": 4}),
    ("far", {"min_cluster_size": 3, "min_samples": 2, "cluster_selection_epsilon": 0.5}), ("grid", {"min_cluster_size": 6, "min_samples": 20}), ("same", {}),
    ("same", {"min_cluster_size": 10, "cluster_selection_method": "leaf"}), ("same", {"min_cluster_size": 8, "min_samples": 2, "cluster_selection_epsilon": 0.05}),
    ("same", {"min_cluster_size": 60, "allow_single_cluster": True, "cluster_selection_epsilon": 0.5}), ("equal", {}), ("equal", {"allow_single_cluster": True}),
    ("wide", {"min_cluster_size": 390, "min_samples": 5}), ("wide", {"min_cluster_size": 390, "cluster_selection_method": "leaf", "allow_single_cluster": True})):
    try:
        m = HDBSCAN(copy=True, **args).fit(tables[name])
    except TypeError:  # scikit-learn 1.9.1 can't look for epsilon upwards beside numpy 2.4
        print("left out", name, args)
        continue
    out["densities"].append({"table": name, "args": args, "labels": m.labels_.tolist(), "strengths": m.probabilities_[::11].tolist()})
json.dump(out, open(__file__.replace(".py", ".json"), "w"))
