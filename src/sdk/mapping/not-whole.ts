/** What is said of a fraction where a whole number belongs. A quantity nobody rounded on purpose is a wrong quantity. */
export const notWhole = (number: number): string =>
  `${number} is no whole number and nothing says how to round it; add round: down, up or half-up, or a unit in which it is whole`;
