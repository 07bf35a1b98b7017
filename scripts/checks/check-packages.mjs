// @ts-check
/** Packs every published package. Checks each with publint, and checks that it has what its page on npm needs. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packPackages } from "../build/pack-packages.mjs";
import { root } from "../run.mjs";

const REPOSITORY = "https://github.com/plugboard-dev/plugboard";
const destination = mkdtempSync(join(tmpdir(), "plugboard-pack-"));
try {
  for (const packed of await packPackages(destination)) {
    const problems = [...missingForPage(packed), ...(await publintProblems(packed))];
    for (const problem of problems) console.error(`packages/${basename(packed.folder)}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(destination, { recursive: true, force: true });
}

/** @param {import("../build/pack-packages.mjs").PackedPackage} packed */
function missingForPage({ folder, name, files }) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const read = (/** @type {string} */ file) => (files.includes(file) ? readFileSync(join(folder, file), "utf8") : "");
  const directory = `packages/${basename(folder)}`;
  /** @type {[boolean, string][]} */
  const checks = [
    [read("README.md").startsWith(`# ${name}\n`), `README.md must begin with "# ${name}"`],
    [read("README.md").includes(`npm install`), "README.md must say how to install the package"],
    [read("LICENSE") === readFileSync(join(root, "LICENSE"), "utf8"), "LICENSE must be a copy of the project's"],
    [manifest.repository?.url === `git+${REPOSITORY}.git`, `repository.url must be git+${REPOSITORY}.git`],
    [manifest.repository?.directory === directory, `repository.directory must be ${directory}`],
    [manifest.homepage?.startsWith(REPOSITORY), `homepage must be in ${REPOSITORY}`],
    [manifest.bugs?.url === `${REPOSITORY}/issues`, `bugs.url must be ${REPOSITORY}/issues`],
    [manifest.keywords?.includes("mcp"), 'keywords must contain "mcp"'],
    [manifest.engines?.node === rootManifest().engines.node, "engines.node must be the workspace's"],
  ];
  return checks.flatMap(([passed, problem]) => (passed ? [] : [problem]));
}

/**
 * Returns the errors and warnings of publint. Prints its suggestions, which are not problems.
 * @param {import("../build/pack-packages.mjs").PackedPackage} packed
 */
async function publintProblems({ tarball }) {
  const bytes = readFileSync(tarball);
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
  const { messages, pkg } = await publint({ strict: true, pack });
  // Only the tests of a package use its `imports`.
  const relevant = messages.filter(({ path }) => path[0] !== "imports");
  const text = (/** @type {typeof messages[number]} */ message) => formatMessage(message, pkg, { color: false }) ?? "";
  for (const message of relevant.filter(({ type }) => type === "suggestion")) console.error(text(message));
  return relevant.filter(({ type }) => type !== "suggestion").map(text);
}

function rootManifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}
