/** A name of only dots, with any number of marks before it. */
const dots = /^~*\.{1,2}$/;

/**
 * Writes a name as one segment of an address. Programs drop the segments `.` and `..`, encoded or not, so an order of
 * that name gets a mark before it. A name that looks like the marked one gets one more.
 */
export const pathSegment = (name: string): string => encodeURIComponent(dots.test(name) ? `~${name}` : name);

/** Returns the name that a decoded segment stands for. */
export const nameInSegment = (segment: string): string =>
  segment.startsWith("~") && dots.test(segment) ? segment.slice(1) : segment;
