export type { Check, Level } from "./conformance-check.ts";
export { groups } from "./conformance-check.ts";
export type { CheckReport, EndpointReport, Finding, Report } from "./conformance-report.ts";
export { junitReport, textReport } from "./conformance-report.ts";
export { NoAdapter } from "./harness/session.ts";
export { htmlReport } from "./reports/html-report.ts";
export { type ConformanceOptions, type Progress, runConformance } from "./run-conformance.ts";
export type { Basis } from "./sentences.ts";
export type { TestRunner } from "./suites/conformance-suite.ts";
export {
  type ConformanceSuiteOptions,
  conformanceSuite,
  type JournalSuiteOptions,
  journalSuite,
} from "./suites/conformance-suite.ts";
export { type ConnectorSuiteOptions, connectorSuite } from "./suites/connector-suite.ts";
