/** What was named is not there, or was not written by the recorder. */
export class NoRecording extends Error {
  constructor(file: string, why: string) {
    super(`${file} ${why}`);
    this.name = "NoRecording";
  }
}
