"""Writes text-reference.json: what scikit-learn 1.9.1 answers. Not run by the tests."""
import json
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

# The same counts as counts() in text-models.test.ts: whole numbers, most of them 0.
n, d = 120, 20
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = np.maximum(0, (i * 7919 + j * 104729 + i * i * (j + 3)) % 101 - 95).astype(float)
c = (X[:, 0] + X[:, 1] + 2 > X[:, 2] + X[:, 3] + X[:, 4]).astype(int) + (np.arange(n) % 3 == 0)
b = (c > 0).astype(int)
out = {"origin": "text-reference.py with scikit-learn 1.9.1"}
for name, y in (("three", c), ("two", b)):
    lr = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, y)
    svm = LinearSVC(tol=1e-10, max_iter=1_000_000, random_state=0, intercept_scaling=1, dual=True).fit(X, y)
    out[name] = {
        "logistic": {"coef": lr.coef_.T.ravel().tolist(), "intercept": lr.intercept_.tolist()},
        "svm": {"coef": svm.coef_.T.ravel().tolist(), "intercept": svm.intercept_.tolist()},
        "multinomial": MultinomialNB(alpha=0.3).fit(X, y).predict_joint_log_proba(X[:7]).ravel().tolist(),
        "complement": ComplementNB(alpha=0.3).fit(X, y).predict_joint_log_proba(X[:7]).ravel().tolist(),
    }
texts = ["Free prizes, call now! Free free", "see you at lunch, at noon", "call me at noon", "_ü_ 42 naïve x", ""]
tfidf = {"plain": TfidfVectorizer(), "pairs": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), "binary": TfidfVectorizer(binary=True, min_df=2)}
# Columns stand in another order here, so rows are told by their sorted values.
out["tfidf"] = {k: [sorted(row[row > 0].tolist()) for row in v.fit_transform(texts).toarray()] for k, v in tfidf.items()}
json.dump(out, open(__file__.replace(".py", ".json"), "w"), indent=1)
