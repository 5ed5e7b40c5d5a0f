import type { Envelope } from "../../../src/contract/envelope.ts";

/** Reads the body as an envelope. The test then asserts that it is one. */
export async function envelopeOf(response: Response | Promise<Response>): Promise<Envelope> {
  return (await (await response).json()) as Envelope;
}
