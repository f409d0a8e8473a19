import type { Readable } from "node:stream";
import { SaxesParser, type SaxesTagPlain } from "saxes";

/** What a reader of XML wants to hear; names come without their prefix. */
export interface XmlListener {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Called between chunks, so that what was collected can be handed on. */
  pause?(): Promise<void>;
}

/** Reads XML as it comes. Entities that a document declares itself are not resolved, so none can grow. */
export async function readXml(stream: Readable, listener: XmlListener): Promise<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const plain = (name: string) => name.slice(name.indexOf(":") + 1);
  parser.on("opentag", (tag: SaxesTagPlain) => listener.open?.(plain(tag.name), tag.attributes));
  parser.on("closetag", (tag: SaxesTagPlain) => listener.close?.(plain(tag.name)));
  parser.on("text", (text) => listener.text?.(text));
  parser.on("cdata", (text) => listener.text?.(text));
  stream.setEncoding("utf8");
  for await (const chunk of stream) {
    parser.write(chunk as string);
    await listener.pause?.();
  }
  parser.close();
}
