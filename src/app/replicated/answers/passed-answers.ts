import type { AnswerNotes } from "../../../engine/events/take-event.ts";

/**
 * Answers of owners that callers of this process have received. An owner marks them itself, but when it is killed, the
 * marks of its last milliseconds are lost. Then only this process knows of these answers, and tells the next owner.
 * Otherwise a second equal put-wall piece would count as a retry of the first, and be missing.
 */
export interface PassedAnswers {
  /** Records what becomes of this owner's answer to the entry with this number. */
  readonly notesOn: (seq: number, owner: string) => AnswerNotes;
  /** The answers that another owner gave, so that this owner may not know of them. */
  readonly unknownTo: (owner: string) => readonly number[];
  /** Called when an owner was told of these answers, so that they are not reported again. */
  readonly reported: (seqs: readonly number[]) => void;
  /** Adds answers of an earlier process in this folder, which was killed. */
  readonly inherit: (seqs: readonly number[]) => void;
  /** Returns and removes all answers, when this process becomes the owner itself. */
  readonly takeAll: () => readonly number[];
}

/** More than an owner answers before it has stored its marks, and few enough to fit into a header. */
const most = 500;

export function passedAnswers(): PassedAnswers {
  /** The owner to which requests were last passed on, and its answers. */
  let answeringOwner: string | null = null;
  const given = new Set<number>();
  /** Answers of earlier owners. */
  const unreported = new Set<number>();
  const add = (seqs: Set<number>, seq: number) => {
    seqs.add(seq);
    if (seqs.size <= most) return;
    const { value: oldest } = seqs.values().next();
    if (oldest !== undefined) seqs.delete(oldest);
  };
  const follow = (owner: string) => {
    if (owner === answeringOwner) return;
    answeringOwner = owner;
    for (const seq of given) add(unreported, seq);
    given.clear();
  };
  return {
    notesOn: (seq, owner) => ({
      written: () => {},
      unread: () => {},
      arrived: () => {
        answeringOwner ??= owner;
        add(owner === answeringOwner ? given : unreported, seq);
        return () => {
          given.delete(seq);
          unreported.delete(seq);
        };
      },
    }),
    unknownTo: (owner) => {
      follow(owner);
      return unreported.size === 0 ? [] : [...unreported];
    },
    reported: (seqs) => {
      for (const seq of seqs) unreported.delete(seq);
    },
    inherit: (seqs) => {
      for (const seq of seqs) add(unreported, seq);
    },
    takeAll: () => {
      const all = [...unreported, ...given];
      unreported.clear();
      given.clear();
      return all;
    },
  };
}
