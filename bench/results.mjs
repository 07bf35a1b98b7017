// @ts-check
/** Stores results, with the commit and the machine that they were measured on. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { BENCHMARKS } from "./benchmarks.mjs";
import { folder } from "./install.mjs";
import { document } from "./report.mjs";

/** @typedef {import("./judge.mjs").Result} Result */

const resultsFolder = join(folder, "results");

export function circumstances() {
  const cores = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${cores.length} × ${cores[0]?.model.trim() ?? "unknown"}`,
  };
}

/**
 * Stores the samples, and writes all tables.
 * @param {Result} result
 */
export function keep(result) {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(fileOf(result.name), `${JSON.stringify(result, undefined, 2).replaceAll(SAMPLES, inOneLine)}\n`);
  writeFileSync(join(folder, "RESULTS.md"), document(BENCHMARKS.flatMap(({ name }) => read(name) ?? [])));
}

/**
 * Returns all results that were ever committed, newest first.
 * @param {string} name
 * @returns {Result[]}
 */
export function committed(name) {
  const file = `results/${name}.json`;
  const commits = git("log", "--format=%H", "--diff-filter=AM", "--", file).split("\n");
  return commits.filter((commit) => commit !== "").map((commit) => JSON.parse(git("show", `${commit}:./${file}`)));
}

/**
 * @param {string} name
 * @returns {Result | undefined}
 */
function read(name) {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), "utf8")) : undefined;
}

/** @param {string} name */
function fileOf(name) {
  return join(resultsFolder, `${name}.json`);
}

/** Returns the measured commit, followed by "+" if there are uncommitted changes. */
function commit() {
  try {
    const changed = git("status", "--porcelain", "--", "../packages", ".", ":!results", ":!RESULTS.md") !== "";
    return git("rev-parse", "--short", "HEAD") + (changed ? "+" : "");
  } catch {
    return "unknown";
  }
}

/** @param {readonly string[]} args */
function git(...args) {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

const SAMPLES = /\[[\s\d.,-]*\]/g;

/** @param {string} list */
function inOneLine(list) {
  return list.replaceAll(/\s+/g, " ");
}
