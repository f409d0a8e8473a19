/**
 * Node's SQLite, without the warning that it is an experiment.
 *
 * Node 22 prints it when the module is loaded; it says nothing that a user of blocklab could act on. To be deleted when
 * Node 24 is the oldest that is served.
 */
function load(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A connection to a SQLite database. */
export const { DatabaseSync } = load();
/** A connection to a SQLite database. */
export type DatabaseSync = InstanceType<typeof DatabaseSync>;
