export { escapeHtml } from "../core/escape-html.ts";
