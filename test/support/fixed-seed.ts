import fc from "fast-check";

/**
 * The same random cases on every run of the gate: whoever sees it red can see it red again. Other cases are for
 * runs of their own: `FAST_CHECK_SEED=$RANDOM npx vitest run`; what they find becomes a test with a name.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["FAST_CHECK_SEED"] ?? 20_261_115) });
