/** What a notebook of ours says about its kernel and language. */
export const notebookMetadata = {
  kernelspec: { display_name: "TypeScript (blocklab)", language: "typescript", name: "blocklab" },
  language_info: { file_extension: ".ts", mimetype: "text/typescript", name: "typescript" },
};

/** A multi-line text as the format keeps it: lines with their newlines. */
export function toLines(whole: string): string[] {
  return whole === "" ? [] : whole.split(/(?<=\n)/);
}
