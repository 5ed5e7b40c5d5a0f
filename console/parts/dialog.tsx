import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../say.ts";

/** A dialog that keeps the focus inside and closes with Escape. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not after the next paint: the dialog would be gone from the page by then, and the focus with it.
  useLayoutEffect(() => {
    const dialog = place.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is already gone from the page gives the focus back to nobody.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const { onClose } = props;
  // A browser closes a dialog after some presses of Escape, also if it is told not to. One that must stay is shown again.
  const closedByBrowser = () => {
    if (onClose === undefined) place.current?.showModal();
    else onClose();
  };
  return (
    <dialog
      ref={place}
      aria-labelledby={id}
      class={props.isWide === true ? "wide" : undefined}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={(event) => {
        if (event.target === place.current && place.current?.isConnected === true) closedByBrowser();
      }}
    >
      <header>
        <h2 id={id}>{props.title}</h2>
        {onClose === undefined ? null : (
          <button type="button" class="plain" aria-label={say("action.close")} onClick={onClose}>
            ✕
          </button>
        )}
      </header>
      {props.children}
    </dialog>
  );
}

/** Asks for the reason, which is kept in the audit log. Below it, shows the adapter's refusal, if there was one. */
export function ReasonField(props: {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly error: string;
}) {
  return (
    <>
      <label class="grow">
        {say("act.reason")}
        <input
          required
          maxLength={1000}
          value={props.reason}
          onInput={(event) => props.onReason(event.currentTarget.value)}
        />
      </label>
      {props.error === "" ? null : (
        <p class="error" role="alert">
          {props.error}
        </p>
      )}
    </>
  );
}

/** The buttons: cancel, or do it. */
export function DialogFooter(props: {
  readonly label: string;
  readonly isReady: boolean;
  readonly onClose: () => void;
  /** Set if the action cannot be undone. */
  readonly isDanger?: boolean;
}) {
  return (
    <footer>
      <button type="button" onClick={props.onClose}>
        {say("action.cancel")}
      </button>
      <button type="submit" class={props.isDanger === true ? "danger" : "primary"} disabled={!props.isReady}>
        {props.label}
      </button>
    </footer>
  );
}
