const localEntry = "PK\u0003\u0004";
const directoryEntry = "PK\u0001\u0002";
const directoryEnd = "PK\u0005\u0006";
const maxNames = 200;

/**
 * Names of the files in a ZIP archive: of its directory, or, where the archive is cut off, of the entries that are
 * there. The directory is asked first because an archive inside the archive has entries too.
 */
export function zipNames(bytes: Buffer): string[] {
  const end = bytes.lastIndexOf(directoryEnd, undefined, "latin1");
  const start = end < 0 || end + 20 > bytes.length ? bytes.length : bytes.readUInt32LE(end + 16);
  const listed = namesAt(bytes, { signature: directoryEntry, from: start, lengthAt: 28, nameAt: 46 });
  return listed.length > 0 ? listed : namesAt(bytes, { signature: localEntry, from: 0, lengthAt: 26, nameAt: 30 });
}

/** Found by their signatures: sizes are often written behind the content only, so entries cannot be leapt over. */
function namesAt(
  bytes: Buffer,
  layout: { signature: string; from: number; lengthAt: number; nameAt: number },
): string[] {
  const { signature, lengthAt, nameAt } = layout;
  const names: string[] = [];
  let at = bytes.indexOf(signature, layout.from, "latin1");
  while (at >= 0 && at + nameAt < bytes.length && names.length < maxNames) {
    const start = at + nameAt;
    names.push(bytes.toString("latin1", start, start + bytes.readUInt16LE(at + lengthAt)));
    at = bytes.indexOf(signature, start, "latin1");
  }
  return names;
}
