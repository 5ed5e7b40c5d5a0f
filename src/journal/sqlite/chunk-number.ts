/** More chunks than the largest body can have. */
const mostChunks = 10_000_000;

/** Rows of a call that was stored in chunks have numbers of their own: that of the call, then that of the chunk. */
export const chunkNumber = (call: number, index: number): number => call * mostChunks + index;
export const firstOf = (call: number): number => chunkNumber(call, 0);
export const lastOf = (call: number): number => chunkNumber(call, mostChunks - 1);
export const callOf = (chunk: number): number => Math.floor(chunk / mostChunks);
