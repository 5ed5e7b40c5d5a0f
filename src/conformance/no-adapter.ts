/** Nothing answers at the address: there is no adapter to judge. */
export class NoAdapter extends Error {
  constructor(url: string, failure: string) {
    super(`no adapter answers at ${new URL(url).host}: ${failure}`);
    this.name = "NoAdapter";
  }
}
