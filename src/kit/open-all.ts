/** Opens one resource. It is closed when all are closed, or when a later opener fails. */
export type Open = <Thing>(
  name: string,
  open: () => Thing | Promise<Thing>,
  close: (thing: Thing) => void | Promise<void>,
) => Promise<Thing>;

export interface OpenedAll<Opened> {
  readonly opened: Opened;
  /**
   * Closes everything in reverse order. If closing one fails, the others are still closed. A second call waits for the
   * first.
   */
  readonly close: () => Promise<void>;
}

export interface OpenAllNeeds {
  readonly onOpened?: (name: string) => void;
  readonly onClosed?: (name: string) => void;
  /**
   * Called for each resource that could not be closed after an opener failed. The error that is thrown is that of the
   * opener.
   */
  readonly onCloseFailed?: (error: unknown) => void;
}

/**
 * Runs openers one after the other. If one of them fails, all that were opened before it are closed in reverse order.
 * Otherwise a lock, a thread or a timer would outlive the failed start.
 */
export async function openAll<Opened>(
  openers: (open: Open) => Promise<Opened>,
  { onOpened, onClosed, onCloseFailed }: OpenAllNeeds = {},
): Promise<OpenedAll<Opened>> {
  const stack = new AsyncDisposableStack();
  const open: Open = async (name, make, close) => {
    const thing = await make();
    stack.defer(async () => {
      await close(thing);
      onClosed?.(name);
    });
    onOpened?.(name);
    return thing;
  };
  try {
    const opened = await openers(open);
    let closing: Promise<void> | null = null;
    return {
      opened,
      close: () => {
        closing ??= stack.disposeAsync();
        return closing;
      },
    };
  } catch (error) {
    await stack.disposeAsync().catch((closeError: unknown) => onCloseFailed?.(closeError));
    throw error;
  }
}
