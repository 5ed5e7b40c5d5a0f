/**
 * Thrown when neither success nor failure may be answered, because the result is unknown. The connection is closed
 * without an answer, as if the process had been killed: the platform sends the event again, and it is recognised.
 */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}
