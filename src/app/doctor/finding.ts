/** The result of one examination. */
export interface Finding {
  readonly subject: string;
  readonly state: "ok" | "warning" | "error";
  readonly text: string;
  /** What to do about the problem; absent if there is none. */
  readonly remedy?: string;
}

export const fine = (subject: string, text: string): Finding => ({ subject, state: "ok", text });
export const warning = (subject: string, text: string, remedy: string): Finding => ({
  ...{ subject, state: "warning", text, remedy },
});
export const failure = (subject: string, text: string, remedy: string): Finding => ({
  ...{ subject, state: "error", text, remedy },
});

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
