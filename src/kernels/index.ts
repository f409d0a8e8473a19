/** The kernels that may run on a worker, by the name under which the pool sends for them. */
export { classCurves } from "./curves.ts";
export { fitTrees } from "./forest.ts";
export { predictKnn } from "./knn.ts";
export { fitLinear, predictLinear } from "./linear.ts";
export { fitLogistic, logisticColumns, predictLogistic } from "./logistic.ts";
export { logisticSums } from "./logistic-loss.ts";
export { classificationMetrics, regressionMetrics, rocCurve } from "./metrics.ts";
export { fitNaiveBayes, predictNaiveBayes } from "./naive-bayes.ts";
export { fitPca } from "./pca.ts";
export { fitPolynomial, predictPolynomial } from "./polynomial.ts";
export { resample } from "./resample.ts";
export { trainTest } from "./split.ts";
export { correlations, quantiles } from "./statistics.ts";
export { assembleSvc, solvePairs } from "./svc.ts";
export { fitSvr } from "./svm.ts";
export { decideSvm, voteSvc } from "./svm-predict.ts";
export { hashedCounts, termCounts } from "./text-terms.ts";
export { predictForest } from "./trees.ts";
