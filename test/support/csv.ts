/** A CSV text as rows of cells; null for an empty cell that was not quoted. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let cell = "";
  let wasQuoted = false;
  let inQuotes = false;
  const close = () => {
    row.push(cell === "" && !wasQuoted ? null : cell);
    cell = "";
    wasQuoted = false;
  };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (inQuotes) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[++i];
      else inQuotes = false;
    } else if (letter === '"') {
      inQuotes = true;
      wasQuoted = true;
    } else if (letter === ",") close();
    else if (letter === "\n") {
      close();
      rows.push(row);
      row = [];
    } else if (letter !== "\r") cell += letter;
  }
  if (cell !== "" || row.length > 0) {
    close();
    rows.push(row);
  }
  return rows;
}
