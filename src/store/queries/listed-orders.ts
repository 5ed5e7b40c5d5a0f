/** Orders that are due earlier are not listed any more. */
export interface DueLimits {
  readonly oldestDueAt: number;
  /** The begin of that day: a date without a time lasts until the end of its day. */
  readonly dayBegan: number;
  /** What such dates were read with. */
  readonly timeOfDay: string;
}

/**
 * The condition for a listed order; its values are the due limits in the order above. A date without a time was stored
 * with timeOfDay.
 */
export const isListed = `state = 'waiting'
  AND (due_at >= ? OR (due_at >= ? AND substr(json ->> '$.dueDate', 12, 5) = ?))`;

/** A longer order is read in another thread: reading it takes a millisecond for every quarter of a megabyte. */
export const longBytes = 256 * 1024;

/** The same condition without reading long orders: whether their date has a time is found out when they are read. */
export const mayBeListed = `state = 'waiting' AND (due_at >= ? OR (due_at >= ?
  AND CASE WHEN octet_length(json) > ${longBytes} THEN 1 ELSE substr(json ->> '$.dueDate', 12, 5) = ? END))`;
