import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

interface ListProps<Item> {
  readonly items: readonly Item[];
  /** The item whose row must stay in the page, because text typed there would be lost with it. */
  readonly kept: Item | undefined;
  /** The text of a row, for the browser's own search while the row is not in the page. */
  readonly textOf: (item: Item) => string;
  /** Renders a list item. Called again when the items or the kept item change. */
  readonly row: (item: Item, index: number) => ComponentChildren;
}

/** This many rows are added and removed together. With more at once, scrolling would stutter. */
const perBlock = 10;
/**
 * The number of blocks that one gap replaces. The browser's search scrolls to a gap, so a gap must not be as long as
 * the list.
 */
const perGap = 10;
/** The assumed height of a row that was not visible yet. `.timeline` in the style sheet has the height of a block. */
const rowHeightPx = 68;
/**
 * Rows are built this far before they become visible. The browser draws about 3,000 pixels ahead, and rows that appear
 * within them are drawn twice. With less, the Tab key or a fast wheel would reach an empty place.
 */
const aheadPx = 3_500;
/**
 * Positions are measured only after this much scrolling. Measuring in every frame takes time, and a few hundred pixels
 * change nothing that is visible.
 */
const lookEveryPx = 300;

/**
 * A long list of which only the rows near the visible part are in the page. A history of thousands of entries would
 * otherwise take seconds to build, and would be rebuilt with every change at the adapter.
 */
export function WindowedList<Item>({ items, kept, textOf, row }: ListProps<Item>) {
  const place = useRef<HTMLDivElement>(null);
  const lookedAt = useRef(0);
  const heights = useRef(new Map<number, number>());
  const [near, setNear] = useState({ from: 0, to: 3 });
  const [focused, setFocused] = useState(-1);
  const blocks = Math.ceil(items.length / perBlock);
  const heightOf = (block: number) => heights.current.get(block) ?? perBlock * rowHeightPx;

  const look = () => {
    const list = place.current;
    if (list === null) return;
    lookedAt.current = scrollY;
    for (const element of list.querySelectorAll<HTMLElement>(":scope > ol")) {
      heights.current.set(Number(element.dataset["block"]), element.offsetHeight);
    }
    const { top } = list.getBoundingClientRect();
    let [end, from, to] = [top, -1, 0];
    for (let block = 0; block < blocks && end < innerHeight + aheadPx; block++) {
      end += heightOf(block);
      if (from < 0 && end > -aheadPx) from = block;
      to = block + 1;
    }
    const now = { from: from < 0 ? Math.max(0, to - 1) : from, to };
    setNear((before) => (before.from === now.from && before.to === now.to ? before : now));
  };
  useEffect(() => {
    look();
    const whenSized = () => {
      heights.current.clear();
      look();
    };
    const whenScrolled = () => {
      if (Math.abs(scrollY - lookedAt.current) > lookEveryPx) look();
    };
    addEventListener("scroll", whenScrolled, { passive: true });
    addEventListener("resize", whenSized);
    return () => {
      removeEventListener("scroll", whenScrolled);
      removeEventListener("resize", whenSized);
    };
  }, [blocks]);

  const keptBlock = kept === undefined ? -1 : Math.floor(items.indexOf(kept) / perBlock);
  const isThere = (block: number) =>
    (block >= near.from && block < near.to) || block === keptBlock || block === focused;
  const parts: ComponentChildren[] = [];
  for (let block = 0; block < blocks; block++) {
    if (isThere(block)) {
      parts.push(<Block key={block} {...{ block, items, row }} kept={block === keptBlock ? kept : undefined} />);
      continue;
    }
    const first = block;
    let height = heightOf(block);
    while (block + 1 < blocks && (block + 1) % perGap !== 0 && !isThere(block + 1)) height += heightOf(++block);
    parts.push(<Gap key={`gap ${first}`} {...{ items, textOf, height, setNear }} from={first} to={block + 1} />);
  }
  return (
    <div
      ref={place}
      onFocusIn={({ target }) =>
        setFocused(Number((target as Element).closest<HTMLElement>("ol[data-block]")?.dataset["block"] ?? -1))
      }
      onFocusOut={() => setFocused(-1)}
    >
      {parts}
    </div>
  );
}

interface BlockProps<Item> extends Pick<ListProps<Item>, "items" | "kept" | "row"> {
  readonly block: number;
}

function Block<Item>({ block, items, kept, row }: BlockProps<Item>) {
  const first = block * perBlock;
  // The same element is not compared again, so scrolling only costs time for rows that come and go.
  return useMemo(
    () => (
      <ol class="timeline" start={first + 1} data-block={block}>
        {items.slice(first, first + perBlock).map((item, index) => row(item, first + index))}
      </ol>
    ),
    [items, kept],
  );
}

interface GapProps<Item> extends Pick<ListProps<Item>, "items" | "textOf"> {
  readonly from: number;
  readonly to: number;
  readonly height: number;
  readonly setNear: (near: { readonly from: number; readonly to: number }) => void;
}

/** Stands in place of rows. Its text is hidden, but the browser's search finds it ("until-found"). */
function Gap<Item>({ items, textOf, from, to, height, setNear }: GapProps<Item>) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const element = text.current;
    const found = () => setNear({ from, to });
    element?.setAttribute("hidden", "until-found");
    element?.addEventListener("beforematch", found);
    return () => element?.removeEventListener("beforematch", found);
  }, [from, to]);
  return useMemo(
    () => (
      <div style={{ height: `${height}px` }}>
        <p ref={text} hidden>
          {items
            .slice(from * perBlock, to * perBlock)
            .map(textOf)
            .join("\n")}
        </p>
      </div>
    ),
    [items, from, to, height],
  );
}
