/** Shares by name, as `repeat=1%,abort=0.5%` writes them. */
export type Shares<Name extends string> = Readonly<Record<Name, number>>;

interface ShareWishes<Name extends string> {
  readonly names: readonly Name[];
  /** What one of them is called in a complaint, and an example of it. */
  readonly what: string;
  readonly example: string;
  /** Which ones `all=1%` means. */
  readonly isInAll?: (name: Name) => boolean;
}

/** Reads the text; what is not named in it is 0. */
export function readShares<Name extends string>(
  text: string,
  { names, what, example, isInAll = () => true }: ShareWishes<Name>,
): { readonly shares: Shares<Name> } | { readonly problem: string } {
  const shares = noShares(names) as Record<Name, number>;
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name = "", percent = ""] = /^\s*([a-z-]+)\s*=\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/.exec(part) ?? [];
    const share = Number(percent) / 100;
    if (percent === "" || share > 1)
      return { problem: `"${part.trim()}" is no ${what} with its share, such as ${example}` };
    const known = names.find((one) => one === name);
    if (known !== undefined) shares[known] = share;
    else if (name === "all") for (const one of names) shares[one] = isInAll(one) ? share : 0;
    else return { problem: `there is no ${what} "${name}"; there are ${names.join(", ")} and all` };
  }
  return { shares };
}

/** Every name is a key: the compiler cannot follow a record through its entries. */
export const noShares = <Name extends string>(names: readonly Name[]): Shares<Name> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Shares<Name>;
