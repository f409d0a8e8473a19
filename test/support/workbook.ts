import { type ZipFile, zipOf } from "./zip.ts";

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A cell as Excel writes it: `{ t, s, v }`, or a number, or a text (as a shared string), or null. */
export type XlsxCell =
  | number
  | string
  | boolean
  | null
  | { readonly t?: string; readonly s?: number; readonly v: string };

/** Style 1 is a built-in date, 2 a date and time of the workbook's own, 3 hours past 24, 4 an amount in red. */
const styles = `<styleSheet ${main}><numFmts count="3"><numFmt numFmtId="164" formatCode="dd.mm.yyyy hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="[Red]0.00&quot;days&quot;"/></numFmts><cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>`;

/** The parts of an .xlsx workbook with these sheets. */
export function workbookParts(
  sheets: Readonly<Record<string, readonly (readonly XlsxCell[])[]>>,
  date1904 = false,
): ZipFile[] {
  const strings: string[] = [];
  const shared = (text: string) => {
    if (!strings.includes(text)) strings.push(text);
    return strings.indexOf(text);
  };
  const names = Object.keys(sheets);
  const bodies = names.map((name) => sheetXml(sheets[name], shared));
  const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
  return [
    {
      path: "xl/workbook.xml",
      content: `<?xml version="1.0"?><workbook ${main} xmlns:r="${relations}"><workbookPr${date1904 ? ' date1904="1"' : ""}/><sheets>${names.map((name, k) => `<sheet name="${escaped(name)}" sheetId="${k + 1}" r:id="rId${k + 1}"/>`).join("")}</sheets></workbook>`,
    },
    {
      path: "xl/_rels/workbook.xml.rels",
      content: `<Relationships>${names.map((_, k) => `<Relationship Id="rId${k + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${k + 1}.xml"/>`).join("")}</Relationships>`,
    },
    { path: "xl/styles.xml", content: styles },
    {
      path: "xl/sharedStrings.xml",
      content: `<sst ${main}>${strings.map((text) => `<si><r><t xml:space="preserve">${escaped(text.slice(0, 1))}</t></r><r><t xml:space="preserve">${escaped(text.slice(1))}</t></r><rPh sb="0" eb="1"><t>aid</t></rPh></si>`).join("")}</sst>`,
    },
    ...bodies.map((content, k) => ({ path: `xl/worksheets/sheet${k + 1}.xml`, content })),
  ];
}

/** An .xlsx workbook with these sheets. */
export function workbook(...args: Parameters<typeof workbookParts>): Buffer {
  return zipOf(workbookParts(...args));
}

function sheetXml(rows: readonly (readonly XlsxCell[])[], shared: (text: string) => number): string {
  const lines = rows.map((row, i) => {
    const cells = row.map((cell, k) => {
      if (cell === null) return "";
      const at = `r="${String.fromCharCode(65 + k)}${i + 1}"`;
      if (typeof cell === "number") return `<c ${at}><v>${cell}</v></c>`;
      if (typeof cell === "boolean") return `<c ${at} t="b"><v>${cell ? 1 : 0}</v></c>`;
      if (typeof cell === "string") return `<c ${at} t="s"><v>${shared(cell)}</v></c>`;
      const style = cell.s === undefined ? "" : ` s="${cell.s}"`;
      const value = cell.t === "inlineStr" ? `<is><t>${cell.v}</t></is>` : `<f>NOW()</f><v>${cell.v}</v>`;
      return `<c ${at}${cell.t ? ` t="${cell.t}"` : ""}${style}>${value}</c>`;
    });
    return `<row r="${i + 1}">${cells.join("")}</row>`;
  });
  return `<?xml version="1.0"?><worksheet ${main}><sheetData>${lines.join("")}</sheetData></worksheet>`;
}
