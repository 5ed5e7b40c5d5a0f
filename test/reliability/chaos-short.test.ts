import { scenarios } from "../../chaos/scenarios.ts";
import { playShort } from "../support/play-short.ts";

// The others have files of their own, which run at the same time: most of a scenario is waiting.
playShort(scenarios.filter(({ name }) => !/^(cluster|forward)-/.test(name)));
