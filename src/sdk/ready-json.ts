/** Data that is JSON text already: written into the answer as it is, neither parsed nor serialised again. */
export class ReadyJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A list too long to build in one go. Each piece is the JSON text of a few elements, joined by commas, or
 * the same in UTF-8, which saves decoding and encoding what comes out of a store anyway; the writer lets other requests run between two pieces.
 */
export class ReadyJsonList {
  readonly pieces: Iterable<string | Uint8Array>;
  constructor(pieces: Iterable<string | Uint8Array>) {
    this.pieces = pieces;
  }
}
