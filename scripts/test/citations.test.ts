/** Tests the check that the lists of requirements and faults, the tests and the documents agree. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkCitations } from "../docs/citations.mjs";
import type { Entry } from "../docs/citations-problems.mjs";

const FILE = "packages/a/test/a.test.ts";
const DECISION = "docs/decisions/x.md#why-not";

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "citations-"));
  write("docs/decisions/x.md", "# Decisions\n\n## Why not?\n\nBecause.\n");
  write(FILE, "");
});
afterEach(() => rmSync(tree, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), text);
}

const read = (file: string) => readFileSync(join(tree, file), "utf8");

/** Writes the two lists. Only the first list has entries. */
function writeLists(...entries: Entry[]): void {
  const list = (title: string, listed: Entry[]) => ({
    title,
    about: "All.",
    groups: [{ name: "G", about: "Some.", entries: listed }],
  });
  write("docs/evidence/requirements.json", JSON.stringify(list("Requirements", entries)));
  write("docs/evidence/faults.json", JSON.stringify(list("Faults", [])));
}

type ReportedTest = [title: string, covers?: string[], status?: string];

/** Builds a report of tests in one group, each with the ids of its `meta`. */
function reportOf(...tests: ReportedTest[]) {
  return reportOfFile(FILE, ...tests);
}

function reportOfFile(file: string, ...tests: ReportedTest[]) {
  const assertionResults = tests.map(([title, covers, status = "passed"]) => ({
    ancestorTitles: ["", "a thing"],
    title,
    status,
    meta: covers === undefined ? {} : { covers },
  }));
  return { testResults: [{ name: join(tree, file), assertionResults }] };
}

/** Returns the problems, after writing the documents. */
function problems(report: ReturnType<typeof reportOf>, allowPending = false): string[] {
  return checkCitations(tree, report, { write: true, allowPending });
}

const entry: Entry = { id: "R0.1", text: "It works." };

describe("checkCitations returns no problem", () => {
  it("if every entry is covered by a passed test, replaced by a decision, or planned", () => {
    writeLists(
      entry,
      { id: "R0.2", text: "It is red.", replaced: { by: DECISION, why: "it is blue." } },
      { id: "R0.3", text: "It flies.", planned: "wings" },
    );
    expect(problems(reportOf(["works", ["R0.1"]], ["cites nothing"]))).toEqual([]);
  });

  it("if a test covers several entries", () => {
    writeLists(entry, { id: "F1", text: "It is shown too." });
    expect(problems(reportOf(["works", ["F1", "R0.1"]]))).toEqual([]);
  });

  it("for a pending entry with --allow-pending", () => {
    writeLists({ ...entry, pending: "a" });
    expect(problems(reportOf(), true)).toEqual([]);
  });
});

describe("checkCitations reports", () => {
  it.each<[string, Entry[], Parameters<typeof reportOf>, string]>([
    [
      "that a test cites an unknown id",
      [entry],
      [["works", ["R0.1", "R9.9"]]],
      `${FILE}: "a thing › works" cites R9.9, which is not in the lists.`,
    ],
    ["that no test covers an entry", [entry], [["works"]], "R0.1 is covered by no test: It works."],
    [
      "that a cited test failed",
      [entry],
      [
        ["works", ["R0.1"]],
        ["really", ["R0.1"], "failed"],
      ],
      `${FILE}: "a thing › really" cites R0.1, but the test failed.`,
    ],
    [
      "that a cited test did not run",
      [entry],
      [
        ["works", ["R0.1"]],
        ["never runs", ["R0.1"], "skipped"],
      ],
      `${FILE}: "a thing › never runs" cites R0.1, but the test was skipped.`,
    ],
    [
      "that a planned entry is covered",
      [{ ...entry, planned: "wings" }],
      [["works", ["R0.1"]]],
      `R0.1 is marked as planned, but ${FILE} covers it: remove the mark or the citation.`,
    ],
    [
      "that a replaced entry is covered",
      [{ ...entry, replaced: { by: DECISION, why: "no." } }],
      [["works", ["R0.1"]]],
      `R0.1 is marked as replaced, but ${FILE} covers it: remove the mark or the citation.`,
    ],
    [
      "that a pending entry is covered",
      [{ ...entry, pending: "a" }],
      [["works", ["R0.1"]]],
      `R0.1 is marked as pending, but ${FILE} covers it: remove the mark or the citation.`,
    ],
    ["that an entry is pending", [{ ...entry, pending: "a" }], [], "R0.1 is still pending (a)."],
    [
      "that a decision does not exist",
      [{ ...entry, replaced: { by: "docs/decisions/y.md", why: "no." } }],
      [],
      "R0.1 is replaced by docs/decisions/y.md, which does not exist.",
    ],
    [
      "that the decision has no such heading",
      [{ ...entry, replaced: { by: "docs/decisions/x.md#why", why: "no." } }],
      [],
      "R0.1 is replaced by docs/decisions/x.md#why, which does not exist.",
    ],
    [
      "that an entry has two states",
      [{ ...entry, planned: "wings", pending: "a" }],
      [],
      "R0.1 is planned and pending at once.",
    ],
    ["that an id occurs twice", [entry, entry], [["works", ["R0.1"]]], "R0.1 occurs twice."],
  ])("%s", (_, entries, tests, problem) => {
    writeLists(...entries);
    expect(problems(reportOf(...tests))).toContain(problem);
  });

  it("that a long test cites an unknown id", () => {
    writeLists(entry);
    write("packages/a/test/b.long.test.ts", 'it("works", { meta: { covers: ["F99"] } }, () => {});');
    const problem = "packages/a/test/b.long.test.ts cites F99, which is not in the lists.";
    expect(problems(reportOf(["works", ["R0.1"]]))).toEqual([problem]);
  });

  it("that a document is out of date", () => {
    writeLists(entry);
    const outdated = (document: string) =>
      `${document} does not match the tests. Run \`npm run docs:citations\` to write it.`;
    const report = reportOf(["works", ["R0.1"]]);
    expect(checkCitations(tree, report)).toEqual([
      outdated("docs/evidence/requirements.md"),
      outdated("docs/evidence/faults.md"),
    ]);
    checkCitations(tree, report, { write: true });
    expect(checkCitations(tree, report)).toEqual([]);
    expect(checkCitations(tree, reportOf(["works well", ["R0.1"]]))).toEqual([
      outdated("docs/evidence/requirements.md"),
    ]);
    write("docs/evidence/faults.md", "# Faults\n");
    expect(checkCitations(tree, report)).toEqual([outdated("docs/evidence/faults.md")]);
  });
});

describe("a document that checkCitations writes", () => {
  it("names the tests, the decision or the plan of each entry", () => {
    writeLists(
      entry,
      { id: "R0.2", text: "It is red.", replaced: { by: DECISION, why: "it is blue." } },
      { id: "R0.3", text: "It flies.", planned: "wings" },
    );
    write("packages/a/test/b.long.test.ts", 'it("works for hours", {\n  meta: { covers: ["R0.1"] } }, () => {});');
    problems(reportOf(["works", ["R0.1"]], ["works", ["R0.1"]], ["*has* a_name", ["R0.1"]]));
    expect(read("docs/evidence/requirements.md")).toContain(
      [
        "- **R0.1** It works.",
        String.raw`  *Shown* below any face, by [a/test/a.test.ts](../../${FILE}): “a thing › works”, “a thing › \*has\* a\_name”. In the long run also by [a/test/b.long.test.ts](../../packages/a/test/b.long.test.ts).`,
        "- **R0.2** It is red.",
        "  *Replaced* ([decisions/x.md](../decisions/x.md#why-not)): it is blue.",
        "- **R0.3** It flies.",
        "  *Planned*: wings.",
      ].join("\n"),
    );
    expect(read("docs/evidence/requirements.md")).toContain("| all | 3 | 1 | 0 | 1 | 1 |");
  });

  it("lists some of many test titles and counts the other titles", () => {
    writeLists(entry);
    problems(reportOf(...[1, 2, 3, 4, 5].map((n): [string, string[]] => [`title ${n}`, ["R0.1"]])));
    expect(read("docs/evidence/requirements.md")).toContain(
      "“a thing › title 1”, “a thing › title 2”, “a thing › title 3” and 2 more.",
    );
  });

  it("names the face that a test's folder stands for, and no face for a test that imports inner files", () => {
    writeLists(entry);
    const file = "packages/daemon/test/http/origin.test.ts";
    const shown = (source: string) => {
      write(file, source);
      problems(reportOfFile(file, ["works", ["R0.1"]]));
      return /\*Shown\* (.*), by/.exec(read("docs/evidence/requirements.md"))?.[1];
    };
    expect(shown('import { startHost } from "../helpers/running-host.ts";\n')).toBe("through gateway");
    expect(shown('import type { Routes } from "#http/routes.js";\n')).toBe("through gateway");
    expect(shown('import {\n  checkOrigin,\n} from "#http/check-origin.js";\n')).toBe("below any face");
  });
});

describe("checkCitations with keep", () => {
  const other = "packages/a/test/other.test.ts";
  const update = (report: ReturnType<typeof reportOf>) => checkCitations(tree, report, { write: true, keep: true });
  const both = () => read("docs/evidence/requirements.md");

  beforeEach(() => {
    writeLists(entry);
    write(other, "");
    const titles = ["`one`; [two]", "says “hi”; bye", "three", "four"].map((title): ReportedTest => [title, ["R0.1"]]);
    const first = reportOf(["works", ["R0.1"]]).testResults;
    problems({ testResults: [...first, ...reportOfFile(other, ...titles).testResults] });
  });

  it("writes the same documents again without a report", () => {
    const before = both();
    expect(update({ testResults: [] })).toEqual([]);
    expect(both()).toBe(before);
  });

  it("replaces the rows of the reported tests and keeps all other rows", () => {
    const before = both();
    expect(update(reportOf(["works well", ["R0.1"]]))).toEqual([]);
    expect(both()).toBe(before.replace("a thing › works", "a thing › works well"));
  });

  it("drops the rows of a test file that is gone, and reports entries that no other file covers", () => {
    rmSync(join(tree, other));
    expect(update({ testResults: [] })).toEqual([]);
    expect(both()).not.toContain("other.test.ts");
    rmSync(join(tree, FILE));
    expect(update({ testResults: [] })).toEqual(["R0.1 is covered by no test: It works."]);
  });
});
