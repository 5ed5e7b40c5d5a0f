/** A run of a body's bytes. Brackets at both ends make a cut piece a JSON list. */
export interface BulkPiece {
  /** Each chunk has its own memory, because it is transferred to another thread. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Whether the first byte was the comma between two elements and is now a bracket. */
  readonly isOpened: boolean;
  /** Whether the last byte is an added bracket. The comma at that place starts the next piece. */
  readonly isClosed: boolean;
}

export interface BulkCutter {
  /** Takes the next bytes. Returns a piece if they complete one. */
  readonly take: (chunk: Uint8Array) => BulkPiece | null;
  /** Called after the last bytes. Returns the rest. */
  readonly end: () => BulkPiece | null;
  /** Whether all pieces so far, including the rest, are lists of their own. */
  readonly isCut: () => boolean;
}

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The beginning of a list of objects, up to the name of the first member. */
const listStart = /^[ \t\n\r]*\[([ \t\n\r]*\{[ \t\n\r]*"[^"\\]+")[ \t\n\r]*:/;
const maxStartLength = 1024;
/**
 * Gives up cutting if no element begins within this many times the piece length: elements that long make it useless.
 */
const maxOverdue = 4;

/**
 * Cuts a body into pieces while it arrives; a list is cut at a comma before an element. The place is guessed from the
 * beginning of the first element, because checking every byte would stall the main thread. The guess needs no proof:
 * brackets around a piece give valid JSON only if it is a run of whole elements, and runs of whole elements with
 * commas between them are the list. A wrong guess makes a piece that cannot be parsed.
 */
export function bulkCutter(needs: { readonly isList: boolean; readonly pieceBytes: number }): BulkCutter {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let heldBytes = 0;
  let isOpened = false;
  let isCut = needs.isList;
  /** The separator of two elements; undefined until the first bytes are here. */
  let separator: Uint8Array | null | undefined;

  const piece = (rest: Uint8Array<ArrayBuffer> | null): BulkPiece => {
    const [first] = chunks;
    if (isOpened && first !== undefined) first[0] = openBracket;
    const made = { chunks, isOpened, isClosed: rest !== null };
    isOpened = rest !== null;
    chunks = rest === null ? [] : [rest];
    heldBytes = rest?.length ?? 0;
    return made;
  };

  /** Cuts at the last possible place in the newest bytes. Returns null to wait for more bytes. */
  const cut = (newest: Uint8Array<ArrayBuffer>): BulkPiece | null => {
    if (separator === undefined) separator = separatorOf(chunks);
    const at = separator === null ? -1 : Buffer.from(newest.buffer).lastIndexOf(separator);
    if (at < 0) {
      isCut = separator !== null && heldBytes < maxOverdue * needs.pieceBytes;
      return isCut ? null : piece(null);
    }
    const rest = newest.slice(at);
    newest[at] = closeBracket;
    chunks[chunks.length - 1] = newest.subarray(0, at + 1);
    return piece(rest);
  };

  return {
    take: (chunk) => {
      const newest = alone(chunk);
      chunks.push(newest);
      heldBytes += newest.length;
      if (heldBytes < needs.pieceBytes) return null;
      return isCut ? cut(newest) : piece(null);
    },
    end: () => (heldBytes === 0 ? null : piece(null)),
    isCut: () => isCut,
  };
}

/** The original bytes of a piece. */
export function asSent({ chunks, isOpened, isClosed }: BulkPiece): readonly Uint8Array<ArrayBuffer>[] {
  const [first] = chunks;
  if (isOpened && first !== undefined) first[0] = comma;
  return chunks.map((chunk, index) => (isClosed && index === chunks.length - 1 ? chunk.subarray(0, -1) : chunk));
}

/** Returns the chunk itself if it owns its memory, as chunks of a connection do; else a copy. */
function alone(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isAlone ? new Uint8Array(buffer) : Uint8Array.from(chunk);
}

function separatorOf(chunks: readonly Uint8Array[]): Uint8Array | null {
  const start = Buffer.concat(
    chunks,
    Math.min(
      maxStartLength,
      chunks.reduce((sum, { length }) => sum + length, 0),
    ),
  );
  const found = listStart.exec(start.toString("latin1"));
  return found === null ? null : Buffer.from(`,${found[1]}`, "latin1");
}
