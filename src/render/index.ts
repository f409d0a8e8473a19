export { type Bundle, toBundle, toBundles } from "./bundle.ts";
export { type Pictures, toPictureLines } from "./graphics.ts";
export { type Graphics, graphicsKinds, graphicsOf } from "./graphics-kinds.ts";
export { toHtml } from "./html.ts";
export { markdownLines } from "./markdown.ts";
export type { TextOptions } from "./pen.ts";
export { type Picture, toPng, toSvg } from "./picture.ts";
export { progressBundle, progressWords, shareDone } from "./progress.ts";
export { toLines, toText } from "./text.ts";
