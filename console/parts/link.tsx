import type { ComponentChildren } from "preact";
import { go } from "../address.ts";

/** A link inside the console. With a modifier key it opens a new tab, like any other link. */
export function Link(props: {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}) {
  return (
    <a
      href={props.to === "" ? "./" : props.to}
      class={props.class}
      aria-current={props.isCurrent === true ? "page" : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}
