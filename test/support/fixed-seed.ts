import fc from "fast-check";

/**
 * Every run of the gate uses the same random cases, so that a failure can be repeated. To try other cases, run
 * `FAST_CHECK_SEED=$RANDOM npx vitest run`; a failure that is found like this becomes a test with a name.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["FAST_CHECK_SEED"] ?? 20_261_115) });
