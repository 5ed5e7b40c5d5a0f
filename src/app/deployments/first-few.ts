/** Names the first of many, and how many there are besides. */
export const firstFew = (names: readonly string[], most: number): string =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
