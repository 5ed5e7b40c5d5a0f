import { signal } from "@preact/signals";

/** The current time, for texts that say how long ago something was. It stands still while nobody sees the page. */
export const now = signal(Date.now());
const tickMs = 1_000;
const tick = () => {
  if (!document.hidden) now.value = Date.now();
};
setInterval(tick, tickMs);
document.addEventListener("visibilitychange", tick);

/** Somebody who reads moves the mouse, scrolls or presses a key now and then. */
const unattendedMs = 60_000;
let touchedAt = Date.now();
for (const name of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"]) {
  const touched = () => {
    touchedAt = Date.now();
  };
  addEventListener(name, touched, { passive: true, capture: true });
}

/** Whether nobody has touched the page for a minute. */
export const isUnattended = (): boolean => Date.now() - touchedAt > unattendedMs;
