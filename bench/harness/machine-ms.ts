/** Milliseconds on a clock that all processes of this machine share, and that nobody sets. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;
