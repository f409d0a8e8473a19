import { DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { isOnCluster } from "../../plan/node.ts";

/** The blocks that run where a chain's rows lie on a cluster, by their codes; others are refused before anything runs. */
const onCluster: ReadonlySet<string> = new Set(
  // Verbs, columns and preparation.
  `BL_APPEND BL_COLLECT BL_DERIVE BL_FILTER BL_JOIN BL_LONGER BL_RENAME BL_SAMPLE BL_SELECT BL_SLICE BL_SORT BL_SUMMARIZE
  BL_WIDER DP_2 DP_3 DP_4 DP_5 DP_6 DP_ASP DP_FSP DP_ROC
  DP_CRR DP_DSC DP_DRD DP_DTY DP_INF DP_PCA DP_PDT DP_SDC DP_STC DP_UNQ
  BL_ELASTICNET BL_ELASTICNET_M BL_ELASTICNET_P BL_LASSO BL_LASSO_M BL_LASSO_P BL_RIDGE BL_RIDGE_M BL_RIDGE_P
  ML_CN_1 ML_CN_1_M ML_CN_1_P ML_CN_5 ML_CN_5_M ML_CN_5_P ML_CG_2 ML_CG_2_M ML_CG_2_P ML_CN_6 ML_CN_6_M ML_CN_6_P ML_CN_7 ML_CN_7_M ML_CN_7_P
  MS_XGBOOST MS_XGBOOST_M MS_XGBOOST_P ML_R_5 ML_R_5_M ML_R_5_P ML_R_6 ML_R_6_M ML_R_6_P ML_R_1 ML_R_1_M ML_R_1_P ML_R_2 ML_R_2_M ML_R_2_P ML_R_3 ML_R_3_M ML_R_3_P
  BL_AREA BL_BAR BL_BOX BL_DENSITY BL_GAPS BL_HISTOGRAM BL_PAIRS BL_PLOT DP_ORD DP_PIE DP_SCP`.split(/\s+/),
);

/** What to do instead. */
export const cure =
  "take them out first by collect(), or fewer of them: filter(), sample() or summarize(), and then collect()";

/** Refuses a block that can't run where the rows of its table lie. */
export function refuseFar({ relation }: Frame, code: string, who: string): void {
  if (isOnCluster(relation) && !onCluster.has(code)) throw farRefusal(who);
}

/** The block can't run, or not as it was asked, where its rows lie. */
export function farRefusal(who: string): DataError {
  return new DataError(`${who}: its rows lie on Spark, where it can't work on them as asked; ${cure}.`, {
    code: "on_cluster",
  });
}

/** Of two tables one lies on the cluster and one here. */
export function mixedRefusal(who: string): DataError {
  return new DataError(
    `${who}: one of the tables lies on Spark and another one here; collect() the one on Spark first, or read both from Spark.`,
    { code: "on_cluster" },
  );
}
