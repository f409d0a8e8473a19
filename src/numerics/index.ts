/** The kernels that may run on a worker, by the name under which the pool sends for them. */

export { fitPca, projectPca, tallPca } from "./algebra/pca.ts";
export { boostEdges } from "./boost/bins.ts";
export { boostTogether } from "./boost/fit.ts";
export { predictBoosted } from "./boost/predict.ts";
export { densityClusters } from "./cluster/condensed-tree.ts";
export { coreRows, joinCores, nearClusters, nthDistances, numberClusters } from "./cluster/dbscan.ts";
export { joinRows } from "./cluster/hierarchy.ts";
export { assignRows, centredRows, nearestCentres, ownSquares, seedCentres } from "./cluster/kmeans.ts";
export { mixtureShares, mixtureSums, nextMixture } from "./cluster/mixture.ts";
export { coreDistances, nearestByReach, reachabilityTree } from "./cluster/reachability.ts";
export { compactness, silhouettes } from "./cluster/scores.ts";
export { severalClusters } from "./cluster/several-clusters.ts";
export { neighbourTable } from "./embed/neighbours.ts";
export { trustworthiness } from "./embed/trustworthiness.ts";
export { tsneRows } from "./embed/tsne.ts";
export { umapRows } from "./embed/umap.ts";
export { classCurves } from "./evaluation/curves.ts";
export { classificationMetrics, regressionMetrics, rocCurve } from "./evaluation/metrics.ts";
export { linearShap } from "./explain/linear-shap.ts";
export { treeCovers, treeShap } from "./explain/tree-shap.ts";
export { forecastSeries } from "./forecast/forecast.ts";
export { elasticPath, strongestAlpha } from "./linear/elastic-net.ts";
export { fitLinear, linearOfProducts, predictLinear } from "./linear/linear.ts";
export { fitLogistic, predictLogistic } from "./linear/logistic.ts";
export { lossSums } from "./linear/loss-sums.ts";
export { fitPoisson, poissonErrors } from "./linear/poisson.ts";
export { fitPolynomial, predictPolynomial } from "./linear/polynomial.ts";
export { productSums } from "./linear/products.ts";
export { fitQuantile } from "./linear/quantile.ts";
export { fitRidge, judgeRidge, ridgeDirections } from "./linear/ridge.ts";
export { scaledColumns } from "./linear/score-descent.ts";
export { logisticErrors, multinomialErrors } from "./linear/wald.ts";
export { fitNaiveBayes, naiveBayesOf, predictNaiveBayes } from "./naive-bayes.ts";
export { averageKnn, predictKnn } from "./neighbors/knn.ts";
export { boxRows } from "./neighbors/near-rows.ts";
export { fitAnn } from "./networks/ann.ts";
export { predictLayers } from "./networks/layers.ts";
export { fitMlp, predictMlp } from "./networks/mlp.ts";
export { fitRbm } from "./networks/rbm.ts";
export { hiddenRbm, scoreRbm } from "./networks/rbm-score.ts";
export { fitSom, mapSom } from "./networks/som.ts";
export { resample } from "./sampling/resample.ts";
export { trainTest } from "./sampling/split.ts";
export { axisShares } from "./search/importance.ts";
export { applyRecipe, fitRecipe } from "./search/recipe.ts";
export { stackClasses, stackNumbers } from "./search/stack.ts";
export {
  fitLogisticRows,
  fitPoissonRows,
  predictLinearRows,
  predictLogisticRows,
  sparseColumns,
  sparseSums,
} from "./sparse/sums.ts";
export { columnMeans, coProducts, guessedMeans } from "./statistics/co-products.ts";
export { correlations } from "./statistics/correlations.ts";
export { distinctInRows, distinctNumbers } from "./statistics/distinct.ts";
export { fillGaps } from "./statistics/gaps.ts";
export { columnQuantiles, quantiles } from "./statistics/quantiles.ts";
export { summaries } from "./statistics/summaries.ts";
export { decideSvm, voteSvc } from "./svm/predict.ts";
export { assembleSvc, solvePairs } from "./svm/svc.ts";
export { fitSvr } from "./svm/svm.ts";
export { textsKey } from "./text/key.ts";
export { fitText, predictText } from "./text/model.ts";
export { hashedCounts, termCounts } from "./text/terms.ts";
export { trialText } from "./text/trial.ts";
export { fitTrees } from "./trees/forest.ts";
export { isolateRows } from "./trees/isolation.ts";
export { predictForest } from "./trees/trees.ts";
