/**
 * Text that somebody has typed and not sent yet. The browser keeps it for this tab, so that a reload, a step back or a
 * new sign-in loses nothing. Fields for secrets do not use this.
 */
export interface Draft {
  readonly text: string;
  readonly reason: string;
}

interface KeptDraft extends Draft {
  /** When it was typed, as ISO 8601 in UTC. */
  readonly at: string;
}

const prefix = "draft ";
const ownerName = "owner of drafts";

/** Without the storage, or with a text too long for it, the text is kept until the page is left. */
function tryStorage<Result>(use: (storage: Storage) => Result): Result | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

export const keepDraft = (subject: string, { text, reason }: Draft): void => {
  const kept: KeptDraft = { text, reason, at: new Date().toISOString() };
  tryStorage((storage) => storage.setItem(prefix + subject, JSON.stringify(kept)));
};

export const dropDraft = (subject: string): void => {
  tryStorage((storage) => storage.removeItem(prefix + subject));
};

/** What was typed about a subject; null if nothing waits. */
export const findDraft = (subject: string): KeptDraft | null => {
  const kept = tryStorage((storage) => storage.getItem(prefix + subject));
  // Only `keepDraft` writes these.
  return kept === null ? null : (JSON.parse(kept) as KeptDraft);
};

export const dropDrafts = (): void => {
  tryStorage((storage) => {
    for (const name of Object.keys(storage)) if (name.startsWith(prefix)) storage.removeItem(name);
  });
};

/** Whoever signs in at this tab next must not see what somebody else has typed. */
export const setOwnerOfDrafts = (person: string): void => {
  tryStorage((storage) => {
    if (storage.getItem(ownerName) !== person) dropDrafts();
    storage.setItem(ownerName, person);
  });
};

/** For `beforeunload`: the browser asks in its own words. */
export const confirmBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();
