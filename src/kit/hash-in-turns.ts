import type { Hash, Hmac } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Hashing this much takes about a millisecond. */
const sliceBytes = 256 * 1024;

/**
 * Adds bytes to hashes like `update`, but lets other work of this thread run between two slices. 64 megabytes at once
 * would stall every request for a fifth of a second, and anybody can send them, even without a valid signature.
 */
export async function hashInTurns(hashes: readonly (Hash | Hmac)[], bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) await nextTurn();
    const slice = bytes.subarray(at, at + sliceBytes);
    for (const hash of hashes) hash.update(slice);
  }
}
