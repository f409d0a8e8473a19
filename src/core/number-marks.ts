/** The letters with which numbers are written: before their decimals, and between thousands. */
export type Marks = {
  readonly decimal: string;
  /** Empty: none. */
  readonly thousands: string;
};

/** The expression that whole numbers with these marks match. */
export function markedWhole(marks: Marks): string {
  return `\\s*[-+]?${digits(marks)}\\s*`;
}

/** The expression that numbers with these marks match. */
export function markedReal(marks: Marks): string {
  const decimal = marks.decimal === "." ? "\\." : marks.decimal;
  return `\\s*[-+]?(${digits(marks)}(${decimal}[0-9]*)?|${decimal}[0-9]+)([eE][-+]?[0-9]+)?\\s*`;
}

/** The letters that are not those of 1234.5: the first becomes a point, the others go. */
export function markLetters({ decimal, thousands }: Marks): string {
  return decimal + ({ " ": " \u00a0\u202f", "'": "'’" }[thousands] ?? thousands);
}

/** Groups of two, as in India, are no doubt where commas stand between them. */
function digits({ thousands }: Marks): string {
  const plain = "0|[1-9][0-9]*";
  if (thousands === "") return `(${plain})`;
  const mark = { " ": "[ \u00a0\u202f]", "'": "['’]", ".": "\\." }[thousands] ?? thousands;
  return `(${plain}|[1-9][0-9]{0,2}(${mark}[0-9]{${thousands === "," ? "2,3" : "3"}})*${mark}[0-9]{3})`;
}
