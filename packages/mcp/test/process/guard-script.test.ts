/** The guard's program, run by the real `sh`, with `kill` and `sleep` replaced by functions that say what they were asked. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardScript } from "#process/guard-script.js";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

let proc: string;

beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), "plugboard-proc-"));
  onTestFinished(() => rmSync(proc, { recursive: true }));
});

const ENDS_100 = ["sleep 1", "kill -TERM -100", "sleep 1", "sleep 1", "kill -KILL -100"];

it("waits, then asks politely, then kills", () => {
  expect(guard("+ 100\n")).toEqual(ENDS_100);
});

it.each([
  ["of nothing", ""],
  ["of one that it forgot again", "+ 100\n- 100\n"],
  ["of one that is dead", "+ 4040\n"],
])("does nothing when it knows %s", (_, lines) => {
  expect(guard(lines)).toEqual([]);
});

it("keeps to those that it has not forgotten", () => {
  const done = guard("+ 100\n+ 200\n+ 1000\n+ 10\n- 200\n- 10\n- 7\n");
  expect(done.filter((line) => line.includes("KILL"))).toEqual(["kill -KILL -100", "kill -KILL -1000"]);
});

it.each([
  ...["+ 0", "+ 1", "+ -1", "+ -100", "+ 007", "+ 00", "+", "+ ", "+ x", "+ 12x", "+ 1 2", "+ *", "+ $(echo 100)"],
  ...["100", "* 100", "? 100", "kill 100", ""],
])("passes over a line that makes no sense: %s", (line) => {
  expect(guard(`${line}\n`)).toEqual([]);
});

it("passes over a line that was cut off", () => {
  expect(guard("+ 10")).toEqual([]);
});

describe("a group whose leader, a moment later,", () => {
  it("is one that started at another time, is somebody else's and left alone", () => {
    leader("100", 5000);
    leader("later", 5001);
    expect(guard("+ 100\n", `cp ${proc}/later/stat ${proc}/100/stat`)).toEqual(["sleep 1"]);
  });

  it.each([
    ["is the same", ":"],
    ["is gone", `rm -rf "$proc/100"`],
  ])("%s, is still ours", (_, meanwhile) => {
    leader("100", 5000, "a) (b ) 1 2 3");
    expect(guard("+ 100\n", meanwhile)).toEqual(ENDS_100);
  });
});

/** A process as /proc shows it. */
function leader(pid: string, startTime: number, name = "sh"): void {
  mkdirSync(join(proc, pid));
  const fields = [pid, `(${name})`, "S", ...Array.from({ length: 18 }, (_, at) => at), startTime, 9, 9];
  writeFileSync(join(proc, pid, "stat"), `${fields.join(" ")}\n`);
}

/** What it does, but for asking who is alive, which to it all are but 4040. */
function guard(lines: string, whileItSleeps = ":"): string[] {
  const replaced = `
    proc=${proc}
    kill() { echo "kill $*"; [ "$2" != -4040 ]; }
    sleep() { echo "sleep $*"; ${whileItSleeps}; }
  `;
  const script = replaced + guardScript(1, proc);
  const said = execFileSync("/bin/sh", ["-c", script], { input: lines, stdio: "pipe", encoding: "utf8" });
  return said.split("\n").filter((line) => line && !line.startsWith("kill -0 "));
}
