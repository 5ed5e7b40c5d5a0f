import type { Texts } from "../languages.ts";

/** What is wrong with an input, member by member. `{field}` is a path such as requests[0].itemNumber. */
export const inputTexts = {
  "input.present": {
    en: "{field}: is missing",
    de: "{field}: fehlt",
    fr: "{field} : manque",
    it: "{field}: manca",
    es: "{field}: falta",
    nl: "{field}: ontbreekt",
    pl: "{field}: brak wartości",
  },
} as const satisfies Record<string, Texts>;
