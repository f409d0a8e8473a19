import type { Evaluator } from "../evaluator/evaluator.ts";

/**
 * An evaluator that is made when it is first used.
 *
 * Behind it stands a type checker of some 150 MB; a prompt at which nobody types yet does without.
 */
export function madeInUse(make: () => Evaluator): Evaluator {
  let made: Evaluator | null = null;
  const evaluator = () => {
    made ??= make();
    return made;
  };
  return {
    complete: (...place) => evaluator().complete(...place),
    inspect: (...place) => evaluator().inspect(...place),
    run: (...cell) => evaluator().run(...cell),
    preview: (code) => evaluator().preview(code),
    variables: () => evaluator().variables(),
    isComplete: (code) => evaluator().isComplete(code),
    interrupt: () => made?.interrupt(),
    close: async () => await made?.close(),
  };
}
