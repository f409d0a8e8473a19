/** Nobody who waits for a menu waits for a block that runs. */
const patienceMs = 150;

/** What the session can tell at once and without a fault; else null. */
export async function atOnce<T>(work: Promise<T>): Promise<T | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
  return await Promise.race([work.catch(() => null), late]);
}
