import { z } from "zod";
import { defineModel } from "../models/models.ts";
import { fitRegressor, kernels, predictNumbers, svmArgs } from "../models/svm.ts";
import { svrOnnx } from "../onnx/svm.ts";

/**
 * ML_R_4. Support vector regression: a smooth curve that lets errors up to epsilon go.
 *
 * As scikit-learn's SVR: libsvm's algorithm. Distances mix all features, so scale them first; C and epsilon are in the
 * target's units, so a target far from 1 in size wants others than the defaults.
 */
export const svr = defineModel({
  code: "ML_R_4",
  name: "svr",
  task: "regression",
  why: "It lets small errors go and bends as far as it must, so that single odd rows weigh little. Scale the features first.",
  args: {
    /** Shape of the curve: "linear", "poly", "rbf" or "sigmoid" (default "rbf"). */
    kernel: kernels.default("rbf"),
    /** Errors up to this size cost nothing, in the target's units (default 0.1). */
    epsilon: z.number().min(0).default(0.1),
    /** How far from the best answer it may stop, in the target's units; stricter than scikit-learn (default 0.0001). */
    tol: z.number().positive().default(0.0001),
    ...svmArgs,
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).scale().svr().metrics()',
  fit: (data, args, context) => fitRegressor(data, args, context, "svr (ML_R_4)"),
  predict: predictNumbers,
  onnx: svrOnnx,
});
