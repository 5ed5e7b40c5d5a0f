const maxLength = 60;

/** A number as a person gets to see it: an ERP may give kilobytes for one. */
export const shownNumber = (number: string): string =>
  number.length > maxLength ? `${number.slice(0, maxLength)}…` : number;
