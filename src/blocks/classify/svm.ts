import { defineModel } from "../models/models.ts";
import { fitClassifier, kernels, predictClasses, svcArgs } from "../models/svm.ts";
import { svcOnnx } from "../onnx/svm.ts";

/**
 * ML_CN_3. Support vector machine: the border between classes that keeps the widest distance from both.
 *
 * As scikit-learn's SVC: libsvm's algorithm, several classes by votes of pairs, probabilities by Platt's method, which
 * may disagree with the votes at the border. Distances mix all features, so scale them first.
 */
export const svm = defineModel({
  code: "ML_CN_3",
  name: "svm",
  task: "classification",
  why: "It looks for the straight border that stays farthest from both classes, and depends on the rows at the border alone. Scale the features first.",
  args: {
    /** Shape of the border: "linear", "poly", "rbf" or "sigmoid" (default "linear"). */
    kernel: kernels.default("linear"),
    ...svcArgs,
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().svm().metrics()',
  fit: (data, args, context) => fitClassifier(data, args, context, "svm (ML_CN_3)"),
  predict: predictClasses,
  onnx: svcOnnx,
});
