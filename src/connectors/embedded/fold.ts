/** How codes and names are compared when their letter case does not matter. Stored beside the original. */
export const fold = (text: string): string => text.trim().normalize("NFC").toLowerCase();
