import type { ComponentChildren } from "preact";
import { address, go, pathWith } from "../address.ts";
import { say } from "../say.ts";

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

/**
 * Leads through a long list, page by page. Each page has an address of its own and begins where the one before it ended,
 * so that records that arrive meanwhile move nothing out of reach.
 */
export function PageLinks({ next }: { readonly next: number | null }) {
  const isFirst = !address.value.query.has("before");
  if (isFirst && next === null) return null;
  return (
    <nav class="pages" aria-label={say("page.title")}>
      {isFirst ? null : <Link to={pathWith({ before: null })}>{say("page.newest")}</Link>}
      {next === null ? null : <Link to={pathWith({ before: String(next) })}>{say("page.older")}</Link>}
    </nav>
  );
}
