/** Where a document cannot be read on, and why. */
export class XmlFlaw extends Error {
  /** Index in the text. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.name = "XmlFlaw";
    this.at = at;
  }
}
