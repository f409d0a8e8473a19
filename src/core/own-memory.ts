import { totalmem } from "node:os";

/** Bytes that this process may take: the machine's memory, or less where a container around it has less. */
export function ownMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
}
