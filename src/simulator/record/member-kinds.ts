/**
 * What becomes of a member of the contract's bodies in a recording. What is not named here, and everything inside it,
 * is foreign: its texts and numbers are replaced. A list of what may stay can be read through; a list of what has to go
 * would be short of the one member that some customer adds.
 */
export type MemberKind =
  /** Holds further members of this list. */
  | "holder"
  /** The same number, code or place stays the same one, under another name. */
  | "identifier"
  /** Amounts by identifier. */
  | "amounts"
  | "email"
  /** The name of a column: kept where it looks like one. */
  | "name"
  /** Amounts, enumerations and positions: kept. */
  | "amount"
  /** Kept where it looks like one. */
  | "date"
  | "language"
  | "version"
  /** A text that holds JSON. */
  | "json"
  | "file"
  | "image";

const names: Readonly<Record<MemberKind, string>> = {
  holder:
    "requests request workOrder updateWorkOrderRequest itemRequests itemNames containersBreakdown placements data " +
    "amountToConfirmPickingSummary amountToConfirmSummary validationStatus values",
  identifier:
    "number externalIdentifier deliveryNumber alternativeStartNumber itemNumber workOrderNumber workOrdersNumbers " +
    "lotNumber itemExternalIdentifier requestExternalIdentifier workOrderExternalIdentifier containerCode code " +
    "designatedStorageName designatedLocationName locationName confirmedLocationName destinationLocationName " +
    "storageName storageId requestId id designatedLocationId ids",
  name: "key",
  amounts: "remainingRequests missingQuantities",
  email: "userEmail",
  amount:
    "requestedAmount completedAmount amount requestRemainingAmountInBaseUnitOfMeasure " +
    "requestAmountInBaseUnitOfMeasure requestedAmountInBaseUnitOfMeasure completedAmountInBaseUnitOfMeasure " +
    "amountToConfirmInBaseUnitOfMeasure amountToConfirmPlacingInBaseUnitOfMeasure unitOfMeasure itemUnitOfMeasure " +
    "requestType type order status fileType minimumStockQuantity weight height width length volume result errorCount",
  date: "dueDate customerRequiredDeliveryDate buildDateTime asOf",
  language: "languageIsoCode",
  version: "version",
  json: "externalData requestExternalData workOrderExternalData deliveryNoteExternalData deliveryAddressExternalData",
  file: "fileContent",
  image: "image",
};

const kinds = new Map<string, MemberKind>(
  // The keys are those of the type.
  (Object.keys(names) as MemberKind[]).flatMap((kind) =>
    names[kind].split(" ").map((name) => [name.toLowerCase(), kind] as const),
  ),
);

/** By its name in any letter case; undefined for what is foreign. */
export const memberKind = (name: string): MemberKind | undefined => kinds.get(name.toLowerCase());
