import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../kit/sqlite/sqlite.ts";
import { answerJobs } from "../../kit/threads/job-thread.ts";
import { type ChangeNotice, changeNoticesIn } from "./change-notice.ts";

export interface NoticeJob {
  readonly orderNumber: string;
}

// `openChangeNotices` starts this thread with the name of the file.
const notices = changeNoticesIn(openDatabase(workerData as string, { readOnly: true }));
answerJobs<NoticeJob, ChangeNotice | undefined>(parentPort, ({ orderNumber }) => notices(orderNumber));
