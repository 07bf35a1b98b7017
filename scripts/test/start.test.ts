/** `npm start` does what the README says: three real servers connected, one real call. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("connects the bundled servers and reads the example file through one of them", async () => {
  const script = fileURLToPath(new URL("../start.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  for (const server of ["everything", "files", "memory"]) {
    expect(stdout).toMatch(new RegExp(`^${server} +stdio +invocation +ready +\\d+ +legacy`, "m"));
  }
  expect(stdout).toContain("This text was read by the filesystem server");
});
