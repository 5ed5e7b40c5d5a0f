import { useEffect, useRef, useState } from "preact/hooks";
import { confirmBeforeLeaving, type Draft, dropDraft, findDraft, keepDraft } from "../../drafts.ts";
import { say, sayMoment } from "../../say.ts";
import { CopyButton } from "../small-parts.tsx";

/**
 * A text and its reason, kept while they are typed. What was typed before and not sent is there again. Call `sent` when
 * the adapter has accepted it.
 */
export function useDraft(subject: string, before: string) {
  const [found, setFound] = useState(() => findDraft(subject));
  const [typed, setTyped] = useState<Draft>(found ?? { text: before, reason: "" });
  const isChanged = typed.text !== before || typed.reason !== "";
  // What is typed between two drawings of the page counts too.
  const latest = useRef(typed);
  const change = (part: Partial<Draft> | ((before: Draft) => Partial<Draft>)) => {
    const next = { ...latest.current, ...(typeof part === "function" ? part(latest.current) : part) };
    latest.current = next;
    setTyped(next);
    if (next.text === before && next.reason === "") dropDraft(subject);
    else keepDraft(subject, next);
  };
  useEffect(() => {
    if (!isChanged) return undefined;
    addEventListener("beforeunload", confirmBeforeLeaving);
    return () => removeEventListener("beforeunload", confirmBeforeLeaving);
  }, [isChanged]);
  return {
    ...{ ...typed, change },
    /** When the text was typed, if it was found again. */
    foundAt: found?.at ?? null,
    sent: () => dropDraft(subject),
    startOver: () => {
      dropDraft(subject);
      setFound(null);
      latest.current = { text: before, reason: "" };
      setTyped(latest.current);
    },
  };
}

/** Says in the dialog that the text is an earlier one. */
export function FoundDraft({ of: { foundAt, startOver } }: { readonly of: ReturnType<typeof useDraft> }) {
  if (foundAt === null) return null;
  return (
    <p class="bar" role="status">
      {say("draft.found", { time: sayMoment(foundAt) })}
      <button type="button" class="small" onClick={startOver}>
        {say("draft.startOver")}
      </button>
    </p>
  );
}

/** Offers a text that was typed and not sent. If it cannot be sent any more, it can be copied. */
export function DraftOffer({ subject, onOpen }: { readonly subject: string; readonly onOpen: (() => void) | null }) {
  const [, setDropped] = useState(false);
  const found = findDraft(subject);
  if (found === null) return null;
  return (
    <div class="notice kept" role="status">
      <p>{say("draft.waiting", { time: sayMoment(found.at) })}</p>
      <span class="actions">
        {onOpen === null ? (
          <CopyButton text={found.text} label={say("action.copy")} />
        ) : (
          <button type="button" onClick={onOpen}>
            {say("draft.continue")}
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            dropDraft(subject);
            setDropped(true);
          }}
        >
          {say("draft.discard")}
        </button>
      </span>
    </div>
  );
}
