/** Tables of the events, in the order they are created. */
export const eventTables: readonly string[] = [];
