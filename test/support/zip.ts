import { constants, crc32, deflateRawSync } from "node:zlib";

/** A file to put into a zip; `declared` lies about its size, `packed` stands in place of its content. */
export interface ZipFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly declared?: number;
  readonly encrypted?: boolean;
  readonly packed?: Buffer;
}

/** A zip archive made by hand, so that tests can make bad ones too. `count` lies about the number of files. */
export function zipOf(files: readonly ZipFile[], count = files.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content, declared, encrypted, packed: given } of files) {
    const plain = Buffer.from(content);
    const packed = given ?? deflateRawSync(plain);
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, deflated, no time.
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(encrypted ? 0x801 : 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declared ?? plain.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), common, tail, name]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

/** That many bytes of zeros, packed; ten gigabytes take ten megabytes and no time. */
export function packedZeros(bytes: number): Buffer {
  const piece = 2 ** 24;
  const packed = deflateRawSync(Buffer.alloc(piece), { finishFlush: constants.Z_FULL_FLUSH });
  const pieces = Array.from({ length: Math.ceil(bytes / piece) }, () => packed);
  return Buffer.concat([...pieces, deflateRawSync(Buffer.alloc(0))]);
}

/** A zip whose end record, in the form for large archives, claims that many files. */
export function zipClaiming(count: number): Buffer {
  const end64 = Buffer.alloc(56);
  end64.write("PK\x06\x06", 0, "latin1");
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(count) * 46n, 40);
  const locator = Buffer.alloc(20);
  locator.write("PK\x06\x07", 0, "latin1");
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22, 0xff);
  end.write("PK\x05\x06", 0, "latin1");
  end.fill(0, 4, 8);
  end.fill(0, 20, 22);
  return Buffer.concat([end64, locator, end]);
}
