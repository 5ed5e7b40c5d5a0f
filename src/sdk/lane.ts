const orderPrefix = "wo:";
const containerPrefix = "ct:";

/** The lane of a work order: what shares it reaches the external system one at a time, in order of acceptance. */
export const orderLane = (number: string): string => orderPrefix + number;
/** Codes are typed and scanned in any letter case; two spellings of one container must not overtake each other. */
export const containerLane = (code: string): string => containerPrefix + code.trim().normalize("NFC").toLowerCase();

/** The work order a lane stands for; null for a lane of another kind. */
export const orderOfLane = (lane: string): string | null =>
  lane.startsWith(orderPrefix) ? lane.slice(orderPrefix.length) : null;
