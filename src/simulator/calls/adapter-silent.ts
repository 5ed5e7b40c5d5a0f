/** Nobody has answered for longer than the floor can wait. */
export class AdapterSilent extends Error {
  constructor(url: string, failure: string) {
    super(`nobody answers at ${url}: ${failure}`);
    this.name = "AdapterSilent";
  }
}
