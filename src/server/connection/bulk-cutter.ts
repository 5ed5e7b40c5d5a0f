/** A run of a body's bytes. A cut one is made a JSON list of its own by a bracket at either end. */
export interface BulkPiece {
  /** In memory that nothing else lies in: it is handed to another thread. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Its first byte is a bracket now; it was the comma between two elements. */
  readonly isOpened: boolean;
  /** Its last byte is a bracket that was put there; the comma it stands for opens the next piece. */
  readonly isClosed: boolean;
}

export interface BulkCutter {
  /** Takes the next bytes; gives the piece that they complete. */
  readonly take: (chunk: Uint8Array) => BulkPiece | null;
  /** Gives what is left, when there are no more bytes. */
  readonly end: () => BulkPiece | null;
  /** Whether all pieces so far are lists of their own, the one that is left included. */
  readonly isCut: () => boolean;
}

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The beginning of a list of objects, up to the name of the first member. */
const listStart = /^[ \t\n\r]*\[([ \t\n\r]*\{[ \t\n\r]*"[^"\\]+")[ \t\n\r]*:/;
const maxStartLength = 1024;
/** Of elements so long that none begins in as many pieces' worth of bytes, nothing is gained by cutting. */
const maxOverdue = 4;

/**
 * Cuts a body into pieces while it arrives; where it is to be read as a list, at a comma before an element. That
 * place is a guess by what the first element begins with, since looking at every byte would stall the main thread.
 * The guess needs no proof: brackets around a piece give valid JSON only where it is a run of whole elements, and
 * runs of whole elements with commas between them are the list. A wrong guess shows as a piece that cannot be read.
 */
export function bulkCutter(needs: { readonly isList: boolean; readonly pieceBytes: number }): BulkCutter {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let heldBytes = 0;
  let isOpened = false;
  let isCut = needs.isList;
  /** What stands between two elements; undefined until the first bytes are here. */
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

  /** Cuts at the last place that the newest bytes have for it; null to wait for more of them. */
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

/** The bytes of a piece as they were sent. */
export function asSent({ chunks, isOpened, isClosed }: BulkPiece): readonly Uint8Array<ArrayBuffer>[] {
  const [first] = chunks;
  if (isOpened && first !== undefined) first[0] = comma;
  return chunks.map((chunk, index) => (isClosed && index === chunks.length - 1 ? chunk.subarray(0, -1) : chunk));
}

/** The chunk itself where it has its memory for itself, as those of a connection have; else a copy that has. */
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
