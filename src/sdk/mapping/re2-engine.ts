import type { RE2JS } from "re2js";

/**
 * Lets JSONata match with RE2, which takes time in proportion to the text. The language's own engine can be
 * stopped for minutes by one expression of a configuration, and no time limit of JSONata interrupts it.
 */
export function re2Engine(re2: typeof RE2JS): RegExpConstructor {
  // An expression is evaluated once per row and builds its engine anew each time.
  const compiled = new WeakMap<RegExp, RE2JS>();

  class Re2Engine {
    lastIndex = 0;
    readonly #pattern: RE2JS;

    constructor(written: RegExp) {
      this.#pattern = compiled.get(written) ?? re2.compile(re2.translateRegExp(written));
      compiled.set(written, this.#pattern);
    }

    exec(text: string): (string[] & { index: number }) | null {
      const matcher = this.#pattern.matcher(text);
      if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
        this.lastIndex = 0;
        return null;
      }
      this.lastIndex = matcher.end();
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? "");
      return Object.assign(groups, { index: matcher.start() });
    }
  }
  // JSONata constructs it with the RegExp its parser made, sets lastIndex and calls exec; nothing else is used.
  return Re2Engine as unknown as RegExpConstructor;
}
