/**
 * Chooses by the form of the run. The gate plays the same few random cases each time; `CROSSDOCK_LONG=1` plays many, and
 * is best combined with another seed (`FAST_CHECK_SEED`).
 */
export const byForm = <Size>(sizes: { readonly gate: Size; readonly long: Size }): Size =>
  process.env["CROSSDOCK_LONG"] === "1" ? sizes.long : sizes.gate;
