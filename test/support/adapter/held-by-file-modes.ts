/**
 * A command line for which file modes hold. Root may read and write everything, so it gives that right up. Another user
 * would not do: the checkout may be in a folder that only its owner can enter.
 */
export function heldByFileModes(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (process.getuid?.() !== 0) return [program, args];
  return ["setpriv", ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", program, ...args]];
}
