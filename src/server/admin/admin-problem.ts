import { recognise } from "../../messages/phrases/recognise.ts";
import { problemAnswer } from "../contract/answer.ts";

/** A refusal of an admin route: a text in English, and the same text as a phrase that the console translates. */
export function adminProblem(problem: Parameters<typeof problemAnswer>[0]): ReturnType<typeof problemAnswer> {
  const phrase = problem.detail === undefined ? null : recognise(problem.detail);
  return problemAnswer(phrase === null ? problem : { ...problem, phrase });
}
