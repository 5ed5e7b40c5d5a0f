/** Of a shorter secret, Base64 leaves too little to be found with certainty. */
const shortestEncoded = 6;

/**
 * Every way in which a text may contain a secret: as it is, in JSON, in an address or a form, in XML, and in Base64 with
 * whatever stands before it, as the password of `Basic` does. An external system may send any of them back.
 */
export function writtenForms(secret: string): string[] {
  const plain = secret.toWellFormed();
  const escaped = [inJson(secret), inJson(secret).replaceAll("/", String.raw`\/`)].flatMap((one) => [
    one,
    inAscii(one),
  ]);
  const encoded = [encodeURIComponent(plain), encodeURI(plain), new URLSearchParams({ "": plain }).toString().slice(1)];
  return [
    secret,
    // Twice: a body that is a text inside another JSON.
    ...escaped.flatMap((one) => [one, inJson(one)]),
    ...encoded.flatMap((one) => [one, one.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())]),
    plain.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign),
    plain.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign),
    ...inBase64(Buffer.from(plain)),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As writers do whose JSON has no other characters than those of ASCII. */
const inAscii = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

const entities: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" },
};

/** What stands before it moves the secret by 0, 1 or 2 bytes. Characters that it shares with others are left out. */
function inBase64(secret: Buffer): string[] {
  if (secret.length < shortestEncoded) return [];
  return [0, 1, 2].flatMap((moved) => {
    const bytes = Buffer.concat([Buffer.alloc(moved), secret]);
    const from = Math.ceil((moved * 8) / 6);
    const shared = Math.floor((bytes.length * 8) / 6);
    const whole = bytes.toString("base64").replace(/=+$/, "");
    // The second form is that of a secret with which the encoded text ends.
    return [whole.slice(from, shared), whole.slice(from)].flatMap((one) => [
      one,
      one.replaceAll("+", "-").replaceAll("/", "_"),
    ]);
  });
}
