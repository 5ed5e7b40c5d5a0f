import { scenarios } from "../../chaos/scenarios.ts";
import { playShort } from "../support/play-short.ts";

// Those of a cluster have a file of their own, which runs at the same time.
playShort(scenarios.filter(({ name }) => !name.startsWith("cluster-")));
