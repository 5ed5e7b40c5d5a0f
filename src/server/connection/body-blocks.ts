import { setImmediate as nextTurn } from "node:timers/promises";

/** The bytes of a body of unknown length while it arrives. */
export interface BodyBlocks {
  /** Copies the bytes. */
  readonly add: (chunk: Uint8Array) => void;
  /** All bytes in one piece of memory of its own; releases the blocks. */
  readonly joined: () => Promise<Buffer<ArrayBuffer>>;
  readonly release: () => void;
}

const blockBytes = 256 * 1024;
/** How much is copied in one turn of the event loop. */
const copiedPerTurn = 4 * 2 ** 20;

/**
 * Memory that grows is given by the system page by page and goes back to it at once. Other memory comes from the heap of the C
 * library: 120 bodies that stalled behind 7 MB each left 290 MB there, which no other program could use.
 */
const growing = (bytes: number) => new ArrayBuffer(bytes, { maxByteLength: bytes });

export function bodyBlocks(newBlock: (bytes: number) => ArrayBuffer = growing): BodyBlocks {
  let blocks: ArrayBuffer[] = [];
  let size = 0;

  const release = () => {
    for (const block of blocks) if (!block.detached) block.transfer(0);
    blocks = [];
  };

  return {
    add: (chunk) => {
      for (let from = 0; from < chunk.length; ) {
        const at = size % blockBytes;
        if (at === 0) blocks.push(newBlock(blockBytes));
        const part = chunk.subarray(from, from + blockBytes - at);
        const block = blocks.at(-1);
        if (block !== undefined) new Uint8Array(block, at).set(part);
        from += part.length;
        size += part.length;
      }
    },
    joined: async () => {
      const whole = Buffer.allocUnsafeSlow(size);
      let at = 0;
      for (const block of blocks) {
        whole.set(new Uint8Array(block, 0, Math.min(blockBytes, size - at)), at);
        block.transfer(0);
        at += blockBytes;
        // Copying 64 MiB at once would hold up other requests.
        if (at % copiedPerTurn === 0) await nextTurn();
      }
      release();
      return whole;
    },
    release,
  };
}
