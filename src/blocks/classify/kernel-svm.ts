import { defineModel } from "../models/models.ts";
import { fitClassifier, kernels, predictClasses, svcArgs } from "../models/svm.ts";
import { svcOnnx } from "../onnx/svm.ts";

/**
 * ML_CN_4. Kernel support vector machine: a curved border between classes, rbf unless told otherwise.
 *
 * The same machine as svm (ML_CN_3) with another default: scikit-learn's SVC. Distances mix all features, so scale
 * them first.
 */
export const kernelSvm = defineModel({
  code: "ML_CN_4",
  name: "kernelSvm",
  task: "classification",
  why: "It bends the border between classes, and needs no picture of its shape. Scale the features first; it grows slow beyond some ten thousand rows.",
  args: {
    /** Shape of the border: "linear", "poly", "rbf" or "sigmoid" (default "rbf"). */
    kernel: kernels.default("rbf"),
    ...svcArgs,
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().kernelSvm().metrics()',
  fit: (data, args, context) => fitClassifier(data, args, context, "kernelSvm (ML_CN_4)"),
  predict: predictClasses,
  onnx: svcOnnx,
});
