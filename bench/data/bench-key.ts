/** The API key of every server that is measured. */
export const benchKey = "bench-key";
