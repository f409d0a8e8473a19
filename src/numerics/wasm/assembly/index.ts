/**
 * The loops that JavaScript can't make fast, in AssemblyScript: TypeScript's syntax over WebAssembly's memory.
 *
 * `npm run build` compiles them into code.ts. Pointers are byte addresses; all arrays lie where the caller put them. Plain
 * SIMD without fused operations, so that every processor gives the same bytes.
 */
export { reflectColumns } from "./bidiagonal";
export { looseRows, nearestTwo } from "./centres";
export { addVectors, combine, dots, shift, squares } from "./columns";
export { turnRows, updateTimes } from "./eigen";
export { gemm } from "./gemm";
export { logistic, softmax } from "./loss";
export { range, spread } from "./moments";
export { scan, squaredGaps } from "./neighbours";
export { adam, addRows, descend, fillRows, penalize, relu, reluSlopes, rmsprop } from "./network";
export { lowerReach } from "./reach";
export { addCoded, moveRow, rowDots, sumOfRows, weightedRows } from "./rows";
export { partition, renumber, splitClasses, splitMeans, walk } from "./trees";
