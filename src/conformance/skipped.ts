/** What a check throws when there is nothing to judge: the capability is not offered, or no order is known. */
export class Skipped extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Skipped";
  }
}
