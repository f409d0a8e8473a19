/** Shows a MIME bundle below the running cell; `update` replaces the display of that id. */
export type NotebookWriter = (
  bundle: {
    readonly data: Readonly<Record<string, unknown>>;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly transient?: { readonly display_id?: string };
  },
  update: boolean,
) => void;

/** The global under which our kernel offers it to every copy of blocklab that a notebook imports. */
export const notebookWriter: unique symbol = Symbol.for("blocklab.notebookWriter") as never;
