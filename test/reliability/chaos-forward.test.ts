import { scenarios } from "../../chaos/scenarios.ts";
import { playShort } from "../support/play-short.ts";

playShort(scenarios.filter(({ name }) => name.startsWith("forward-")));
