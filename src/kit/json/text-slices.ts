const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;

/** A text in slices of about this many characters; never cut within a surrogate pair, whose halves cannot be written alone. */
export function* textSlices(text: string, length: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + length;
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}
