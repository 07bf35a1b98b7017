/** Runs the guard's script with the real `sh`. Functions replace `kill` and `sleep` and print their arguments. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardScript } from "#process/orphan-guard.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

let proc: string;

beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), "plugboard-proc-"));
  onTestFinished(() => rmSync(proc, { recursive: true }));
});

const ENDS_100 = ["sleep 1", "kill -TERM -100", "sleep 1", "sleep 1", "kill -KILL -100"];

it("guardScript gives a group time to exit, then sends SIGTERM, then SIGKILL", () => {
  expect(guard("+ 100\n")).toEqual(ENDS_100);
});

it.each([
  ["no group", ""],
  ["one group that it should no longer watch", "+ 100\n- 100\n"],
  ["one group that has ended", "+ 4040\n"],
])("guardScript sends no signal if it was given %s", (_, lines) => {
  expect(guard(lines)).toEqual([]);
});

it("guardScript signals only the groups that it still watches", () => {
  const done = guard("+ 100\n+ 200\n+ 1000\n+ 10\n- 200\n- 10\n- 7\n");
  expect(done.filter((line) => line.includes("KILL"))).toEqual(["kill -KILL -100", "kill -KILL -1000"]);
});

it.each([
  ...["+ 0", "+ 1", "+ -1", "+ -100", "+ 007", "+ 00", "+", "+ ", "+ x", "+ 12x", "+ 1 2", "+ *", "+ $(echo 100)"],
  ...["100", "* 100", "? 100", "kill 100", ""],
])("guardScript ignores the invalid line %j", (line) => {
  expect(guard(`${line}\n`)).toEqual([]);
});

it("guardScript ignores a truncated line", () => {
  expect(guard("+ 10")).toEqual([]);
});

describe("guardScript with the start times of group leaders", () => {
  it("does not signal a group whose number was reused by another process", () => {
    leader("100", 5000);
    leader("later", 5001);
    expect(guard("+ 100\n", `cp ${proc}/later/stat ${proc}/100/stat`)).toEqual(["sleep 1"]);
  });

  it.each([
    ["has the same start time", ":"],
    ["has ended", `rm -rf "$proc/100"`],
  ])("signals a group whose leader %s", (_, meanwhile) => {
    leader("100", 5000, "a) (b ) 1 2 3");
    expect(guard("+ 100\n", meanwhile)).toEqual(ENDS_100);
  });
});

/** Writes the file in which /proc shows a process. */
function leader(pid: string, startTime: number, name = "sh"): void {
  mkdirSync(join(proc, pid));
  const fields = [pid, `(${name})`, "S", ...Array.from({ length: 18 }, (_, index) => index), startTime, 9, 9];
  writeFileSync(join(proc, pid, "stat"), `${fields.join(" ")}\n`);
}

/** Returns the guard's actions. Only group 4040 is dead. */
function guard(lines: string, whileItSleeps = ":"): string[] {
  const replaced = `
    proc=${proc}
    kill() { echo "kill $*"; [ "$2" != -4040 ]; }
    sleep() { echo "sleep $*"; ${whileItSleeps}; }
  `;
  const script = replaced + guardScript(1, proc);
  const output = execFileSync("/bin/sh", ["-c", script], { input: lines, stdio: "pipe", encoding: "utf8" });
  return output.split("\n").filter((line) => line && !line.startsWith("kill -0 "));
}
