const maxShownLength = 60;

/** A scanned code as an operator gets to see it. Path values may hold kilobytes; a device shows one line. */
export const shownCode = (code: string): string =>
  code.length > maxShownLength ? `${code.slice(0, maxShownLength)}…` : code;
