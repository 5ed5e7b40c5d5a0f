/** The quoted sentence that a check is based on. A requirement without a quotation would be an opinion. */
export interface Basis {
  /** `contract` binds every adapter; `behaviour` settles what the contract leaves open. */
  readonly source: "contract" | "behaviour";
  /** Section of the contract, or number of the rule in docs/reference/behaviour.md. */
  readonly where: string;
  readonly text: string;
}

const contract = (where: string, text: string): Basis => ({ source: "contract", where, text });
const behaviour = (rule: number, text: string): Basis => ({ source: "behaviour", where: `rule ${rule}`, text });

export const sentences = {
  envelope: contract("Response envelope", "Every endpoint except GET /Status returns this JSON object."),
  answers200: contract("Endpoints", "Every endpoint except GET /Status answers HTTP 200 with the envelope."),
  mediaType: contract(
    "Endpoints",
    "All request and response bodies are JSON, content type `application/json; charset=utf-8`.",
  ),
  ownNumbers: contract("Errors, 1", "Each endpoint has its own numeric result enum"),
  successMarked: contract("Endpoints", "In each result list below, the success value is marked (success)."),
  succeeded: contract("Response envelope", "Whether the operation succeeded."),
  validationStatus: contract(
    "Errors, 2",
    "`validationStatus` is set only when validation failed, with `errorMessages` (string array), `isValid` (boolean) and `errorCount` (number).",
  ),
  externalMessage: contract(
    "Response envelope",
    "Optional free text from the external system, shown to the operator where applicable.",
  ),
  payload: contract("Response envelope", "Payload, on endpoints that return data. Absent or null on event endpoints."),
  eventsNoData: contract("Events", "Event endpoints return no data, only the envelope"),
  validationModes: contract(
    "Errors, 3",
    "a request that fails model validation gets either HTTP 400 with standard validation problem details, or the 200 envelope with an InvalidInput result.",
  ),
  codeNotFound: contract(
    "GET /WorkOrders/Code",
    "When the order is not found, the envelope has isResultSuccess false, result 2, data null, and externalMessage may carry a text that the platform shows to the operator.",
  ),
  oneItem: contract("GET /Items/{number}", "fetches one item."),
  entityResults: contract(
    "Errors, 4",
    "Entity-specific ones: WorkOrderInvalid, WorkOrderDoesNotExist, ItemDoesNotExist, ImageDoesNotExist, FileNotSupported",
  ),
  image: contract("GET /Items/IntegrateImage/{number}", "data: the image bytes as a Base64 string."),
  wholeExport: contract("POST /WorkOrders/WorkOrderExportValues", "the whole export range is sent in one request."),
  columnKey: contract(
    "Export column descriptor",
    "Stable column identifier. The platform sends it back in the values lookup and stores it in the user's remembered column selection.",
  ),
  exportValues: contract("Export values row", "Column key to cell value. A key that is absent gives an empty cell."),
  exportRow: contract("Export values row", "Work order the values belong to."),
  fileUpload: contract(
    "POST /WorkOrders/File",
    "`fileContent` (string, Base64 of the raw file bytes, required), `fileType` (number, 0 JSON or 1 CSV, required)",
  ),
  reportRequired: contract("POST /WorkOrders/GetReport", "Body (all required)"),
  stepAnswer: contract(
    "POST /WorkOrderProcessing/ConfirmWorkOrderStep",
    "Response data: `{ updateWorkOrderRequest }`, where the value is null when no update is needed.",
  ),
  updateId: contract("Update work order request", "Platform-internal work order ID, taken from the request."),
  virtualContainer: contract(
    "POST /WorkOrderProcessing/ConfirmWorkOrderStep",
    "a null containerCode stands for a virtual container",
  ),
  cartStep: contract(
    "POST /CartWorkOrderProcessing/ConfirmWorkOrderStep",
    "the same handshake for multi-order picking with a cart.",
  ),
  acknowledged: contract(
    "Events",
    "A typical acknowledgement has isResultSuccess true and the endpoint's success result value.",
  ),
  status: contract("GET /Status", "returns adapter version info (no envelope, the only such endpoint)."),
  version: contract("Adapter version info", "Application version, normalized to Major.Minor.Patch."),
  statusEnum: contract("POST /WorkOrders/Status", "`status` (number, work order status enum)"),
  enumNumbers: contract("Enumerations", "Enumerations (serialized as numbers)"),
  workflows: contract("What the service does, 3", "The platform calls the endpoints at these moments"),

  malformed: behaviour(3, "Malformed JSON counts as invalid input."),
  never5xx: behaviour(4, "**Contract routes never answer 5xx.**"),
  httpEdges: behaviour(4, "Unknown route 404, wrong method 405 with `Allow`"),
  wrongType: behaviour(4, "wrong content type or compressed 415"),
  nullOnFailure: behaviour(5, "`data` is null on every failure and on events, `[]` when there is nothing to list."),
  alwaysThere: behaviour(5, "`validationStatus` and `externalMessage` are always there, null when unset."),
  liberalNames: behaviour(6, "Accepted: any letter case of routes, query and member names, a trailing slash"),
  byteOrderMark: behaviour(6, "a byte order mark"),
  nulls: behaviour(6, "null for every optional member"),
  unknownMembers: behaviour(6, "unknown members (kept and passed on)"),
  exactOut: behaviour(6, "Written: the documented spelling, `application/json; charset=utf-8`, dates with offset."),
  identityOnly: behaviour(7, "**Events need their identity, nothing more**, because a strict adapter stops the floor"),
  languageHeader: behaviour(8, "`Accept-Language` with quality values; `de-AT` is German, unknown ones English."),
  pathValues: behaviour(9, "**Path values** may hold anything: `/`, `%`, `+`, dots, spaces, any script."),
  decodedOnce: behaviour(9, "They are matched before they are decoded, and decoded once."),
  itemFile: behaviour(9, '`GET /Items/File` is the item "File".'),
  invalidOrder: behaviour(
    10,
    "no number, no due date, no lines, an amount that is not a whole number above 0, an unknown enum value, the same number twice with different content",
  ),
  available: behaviour(11, "**Available** is an order until the first sign of work"),
  scannedCode: behaviour(12, "**A scanned code** is trimmed and looked up as number, alternative start number"),
  otherStorage: behaviour(12, "An order bound to another storage is result 2"),
  storageCase: behaviour(12, "Storage names are compared in any letter case."),
  putWallUnknown: behaviour(13, "Unknown: success, an empty list and a text."),
  putWallCode: behaviour(13, "else a delivery number, an alternative start number, a number."),
  alwaysWritten: behaviour(
    14,
    "`requestType` (1, PickItem), `unitOfMeasure` (0, Piece) and `order` (position) are always written",
  ),
  files: behaviour(17, "format and dialect are detected, identifiers stay text"),
  oneError: behaviour(19, "one error refuses the file"),
  retry: behaviour(24, "Then nothing new is stored and the first answer is given again"),
  unknownOrders: behaviour(26, "**Unknown orders** are accepted on all events but AttachWorkOrder"),
  servedIsKnown: behaviour(26, "**An order that was served is known**"),
  samePair: behaviour(27, "the same pair again is success."),
  attachedElsewhere: behaviour(27, "Order on another container: WorkOrderAlreadyAttached."),
  containerTaken: behaviour(27, "Container on another open order: ContainerAlreadyAttached."),
  badElement: behaviour(28, "every bad element is named by its position; one bad element refuses all."),
  emptyRelocation: behaviour(28, "An empty list is success."),
  legacyStatus: behaviour(29, "We assume those of the put-wall events"),
  changeOffered: behaviour(
    30,
    "the answer is that model, complete, with only the affected lines changed: right whether the platform patches or replaces.",
  ),
  neverBelow: behaviour(31, "An untouched line is cancelled, a touched one lowered."),
  report: behaviour(34, "missing is what `remainingRequests` has above 0; placements are the confirmed amounts"),
  reportUnknown: behaviour(34, "All numbers unknown: WorkOrderDoesNotExist."),
  oneRowEach: behaviour(35, "one row per element in the given order, everything as text."),
  unreadableData: behaviour(35, "unreadable external data gives empty cells."),
  plainImage: behaviour(36, "**Images** are plain Base64 without a `data:` prefix."),
  noImage: behaviour(36, "No item or no image: ImageDoesNotExist."),
  budgets: behaviour(38, "**Time budgets:** events 0.3 s, steps 1.5 s, scans 3 s, lists, files and exports 20 s."),
} as const satisfies Record<string, Basis>;
