import { useState } from "preact/hooks";
import type { ShownProblem } from "../../../src/server/workshop/config-editor.ts";
import { post } from "../../api.ts";
import { say } from "../../say.ts";
import { useSubmit } from "../forms/submit.ts";
import { Problems } from "./problems.tsx";

interface AppliedNoteNeeds {
  /** The version of the file that the change has made. The adapter refuses to undo it once the file has another one. */
  readonly version: string;
  readonly needsRestart: readonly string[];
  readonly onUndone: () => void;
}

/** Says that a change is in effect, with one click back. */
export function AppliedNote({ version, needsRestart, onUndone }: AppliedNoteNeeds) {
  const { isBusy, error, submit } = useSubmit();
  const [problems, setProblems] = useState<readonly ShownProblem[]>([]);
  const undo = async () => {
    const reason = say("connect.undoReason");
    const result = await post<object | { readonly problems: readonly ShownProblem[] }>("admin/config/back", {
      ...{ version, reason },
    });
    if ("problems" in result) return setProblems(result.problems);
    onUndone();
  };
  return (
    <>
      <div class="bar">
        <p class="good-text" role="status">
          {say("connect.applied")}{" "}
          {needsRestart.length > 0 ? say("connect.restart", { names: needsRestart.join(", ") }) : null}
        </p>
        <button type="button" disabled={isBusy} onClick={() => submit(undo)}>
          {say("connect.back")}
        </button>
      </div>
      <Problems problems={problems} />
      {error === "" ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

/** Says that it was undone. */
export const UndoneNote = () => (
  <p class="good-text" role="status">
    {say("connect.undone")}
  </p>
);
