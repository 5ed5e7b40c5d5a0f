/** Counts the users of a resource, so that it can be closed after the last of them. */
export class UserCount {
  #count = 0;
  #whenIdle: (() => void) | null = null;

  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    this.#notifyIfIdle();
  }

  /** Counts as a user until the promise settles. */
  during(answer: Promise<unknown>): void {
    this.enter();
    const leave = () => this.leave();
    answer.then(leave, leave);
  }

  /** Calls once, as soon as there is no user; at once if there is none already. */
  whenIdle(then: () => void): void {
    this.#whenIdle = then;
    this.#notifyIfIdle();
  }

  #notifyIfIdle(): void {
    if (this.#count > 0 || this.#whenIdle === null) return;
    const then = this.#whenIdle;
    this.#whenIdle = null;
    then();
  }
}
