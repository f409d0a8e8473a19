/** One line for each link of a checkout without a target, such as "docs/README.md: blocks/nowhere.md". */
export function brokenLinks(root: string): string[];
