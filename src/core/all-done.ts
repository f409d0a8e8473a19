/** Waits until all of them have ended, whatever becomes of one; fails as the first in order that failed. */
export async function allDone<T extends readonly unknown[]>(
  works: {
    readonly [K in keyof T]: T[K] | Promise<T[K]>;
  },
): Promise<T> {
  await Promise.allSettled(works);
  return (await Promise.all(works)) as unknown as T;
}
