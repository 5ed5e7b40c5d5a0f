export type { QuarantineDetailView, QuarantinePageView, QuarantineView } from "../http/quarantine-routes.ts";
