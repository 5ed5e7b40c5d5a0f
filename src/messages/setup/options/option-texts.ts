import { answerTexts } from "./answer-texts.ts";
import { fileTexts } from "./file-texts.ts";
import { operationTexts } from "./operation-texts.ts";
import { requestTexts } from "./request-texts.ts";
import { sqlTexts } from "./sql-texts.ts";
import { webTexts } from "./web-texts.ts";

/** The descriptions of all options that the form of a connection shows, with one file per subject. */
export const optionTexts = [...webTexts, ...requestTexts, ...operationTexts, ...answerTexts, ...fileTexts, ...sqlTexts];
