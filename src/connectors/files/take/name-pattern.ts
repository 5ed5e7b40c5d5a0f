/** Whether a name fits a pattern in which `*` stands for any characters and `?` for one; letters count in any case. */
export function namePattern(pattern: string): (name: string) => boolean {
  const wanted = [...pattern.normalize("NFC").toLowerCase()];
  return (name) => fits(wanted, [...name.normalize("NFC").toLowerCase()]);
}

/** Goes back to the last star only: with all of them, a name of many equal letters would take years. */
function fits(pattern: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (next < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = next;
    } else if (pattern[at] === "?" || (at < pattern.length && pattern[at] === name[next])) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
