/**
 * Elements disappear while they have the focus: a button whose work is done, a link whose page was left. The browser then
 * forgets the focus, and somebody without a mouse would begin at the top of the page, without seeing where they are.
 */
let last: { readonly element: Element; readonly owners: readonly HTMLElement[] } | null = null;

export function keepFocus(place: HTMLElement): void {
  place.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element) last = { element: target, owners: ownersOf(target) };
  });
  new MutationObserver(() => {
    if (last === null || last.element.isConnected) return;
    const { owners } = last;
    last = null;
    const now = document.activeElement;
    if (now !== null && now !== document.body) return;
    const near = owners.find((owner) => owner.isConnected) ?? null;
    // What stays when a page is left is the frame around it; the heading says which page it is now.
    const isLeft = near === null || near.id === "main" || near === place;
    focusOn(isLeft ? (document.querySelector<HTMLElement>("main h1") ?? near) : near);
  }).observe(place, { childList: true, subtree: true });
}

function ownersOf(element: Element): HTMLElement[] {
  const owners: HTMLElement[] = [];
  for (let owner = element.parentElement; owner !== null; owner = owner.parentElement) owners.push(owner);
  return owners;
}

function focusOn(element: HTMLElement | null): void {
  if (element === null) return;
  const isOwn = element.hasAttribute("tabindex");
  if (!isOwn) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  if (!isOwn) element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
}
