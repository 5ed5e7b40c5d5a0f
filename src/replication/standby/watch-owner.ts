import type { StoreWatch } from "./store-watch.ts";

/** Who owns a deployment, without a copy of its data. */
export interface OwnerWatch {
  readonly view: () => { readonly owner: string | null; readonly ownerUrl: string | null };
  readonly stop: () => void;
}

/**
 * Watches the owner of a deployment. A process that hands a deployment over uses it: to follow again, it would have to
 * close and open its files first, while requests wait for the address of the next owner.
 */
export function watchOwner(store: StoreWatch, deployment: string): OwnerWatch {
  const watched = store.watch(deployment);
  let view: ReturnType<OwnerWatch["view"]> = { owner: null, ownerUrl: null };
  let isStopped = false;
  const watch = async () => {
    while (!isStopped) {
      try {
        const state = await watched.state();
        view = { owner: state?.owner ?? null, ownerUrl: state?.ownerUrl ?? null };
      } catch {
        // Tried again after the pause.
      }
      if (!isStopped) await watched.pause();
    }
  };
  void watch();
  return {
    view: () => view,
    stop: () => {
      isStopped = true;
      watched.stop();
    },
  };
}
