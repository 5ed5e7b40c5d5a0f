/** What a command throws when it cannot do what was asked: one line on what is wrong, one on what to do next. */
export class CommandFailure extends Error {
  readonly next: string;

  constructor(message: string, { next }: { next: string }) {
    super(message);
    this.name = "CommandFailure";
    this.next = next;
  }
}
