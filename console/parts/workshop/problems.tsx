import type { ShownProblem } from "../../../src/server/workshop/config-editor.ts";
import { language, sayText } from "../../say.ts";
import { Prose } from "../small-parts.tsx";

/** For screen readers: what is in another language than the page says so. */
const foreign = (of: string): string | undefined => (of === language.value ? undefined : of);

export const Problems = ({ problems }: { readonly problems: readonly ShownProblem[] }) =>
  problems.length === 0 ? null : (
    <div role="alert">
      <ul class="plain-list">
        {problems.map(({ text, hint, language: ofText = "en", hintLanguage = "en" }) => (
          <li key={text}>
            <span class="error" lang={foreign(sayText(text) === text ? ofText : language.value)}>
              {sayText(text)}
            </span>{" "}
            {hint === undefined ? null : (
              <span class="quiet" lang={foreign(hintLanguage)}>
                <Prose text={hint} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
