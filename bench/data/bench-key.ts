/** The API key of every measured server. */
export const benchKey = "bench-key";
