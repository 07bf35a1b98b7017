/** The code of the search thread. Runs one search and reports what it finds as it goes. */
import { parentPort, workerData } from "node:worker_threads";
import { runSearch } from "./run-search.ts";
import type { SearchJob } from "./search-job.ts";

for (const report of runSearch(workerData as SearchJob)) parentPort?.postMessage(report, []);
