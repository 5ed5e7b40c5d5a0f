/**
 * A part of an address, such as its password, with percent codes decoded. A percent sign that begins no code stays as
 * it is: many people copy a password into an address without encoding it.
 */
export const decodedPart = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
