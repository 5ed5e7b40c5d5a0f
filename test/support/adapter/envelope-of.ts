import type { Envelope } from "../../../src/contract/envelope.ts";

/** The body as an envelope; that it is one is what the test goes on to assert. */
export async function envelopeOf(response: Response | Promise<Response>): Promise<Envelope> {
  return (await (await response).json()) as Envelope;
}
