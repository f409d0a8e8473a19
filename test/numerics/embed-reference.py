"""Writes embed-reference.json: what scikit-learn 1.9.1 and umap-learn 0.5.12 say of the samples.

In an environment with both: python embed-reference.py > embed-reference.json
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.manifold import TSNE, _t_sne, trustworthiness
from sklearn.neighbors import NearestNeighbors
from umap import UMAP
from umap.umap_ import find_ab_params, fuzzy_simplicial_set

warnings.filterwarnings("ignore")
samples = Path(__file__).parents[2] / "samples"
digits = pd.read_csv(samples / "digits.csv").iloc[:500, :64].to_numpy(float)
iris = pd.read_csv(samples / "iris.csv").iloc[:, :4].to_numpy(float)
# Pixels are whole numbers; a little besides leaves no two rows equally near.
digits = digits + 0.01 * np.sin(np.arange(digits.size)).reshape(digits.shape)
columns = np.arange(64)
places = 0.1 * np.column_stack([digits @ np.sin(columns), digits @ np.cos(columns)])

distances = NearestNeighbors(n_neighbors=91).fit(digits).kneighbors_graph(mode="distance")
distances.data **= 2
p = _t_sne._joint_probabilities_nn(distances, 30, 0)
divergence, gradient = _t_sne._kl_divergence_bh(places.ravel(), p, 1, len(digits), 2, angle=0.0001)
graph = fuzzy_simplicial_set(iris, 15, np.random.RandomState(0), "euclidean")[0].tocsr()

json.dump(
    {
        "origin": "embed-reference.py with scikit-learn 1.9.1, umap-learn 0.5.12",
        "tsne": {
            "edges": int(p.nnz),
            "columns": p[7].indices.tolist(),
            "values": p[7].data.tolist(),
            "divergence": float(divergence),
            "gradient": gradient.reshape(-1, 2)[:20].tolist(),
            "trust": [trustworthiness(digits, TSNE(random_state=seed).fit_transform(digits)) for seed in range(3)],
        },
        "trust": [trustworthiness(iris, iris[:, :2], n_neighbors=k) for k in (5, 12)],
        "umap": {
            "edges": int(graph.nnz),
            "sum": float(graph.sum()),
            "columns": graph[60].indices.tolist(),
            "values": graph[60].data.astype(float).tolist(),
            "curves": {f"{d} {s}": [float(v) for v in find_ab_params(s, d)] for d, s in ((0.1, 1.0), (0.5, 1.0), (0.0, 2.0))},
            "trust": [trustworthiness(digits, UMAP(random_state=seed, init="pca").fit_transform(digits)) for seed in range(3)],
        },
    },
    sys.stdout, indent=1,
)
