// @ts-check
/** Collects the licenses of the third-party packages in a bundle, which have to be distributed with their code. */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/**
 * Returns the license file of a bundle, if it has third-party packages. Throws if a package has no license text.
 * @param {readonly { moduleIds: readonly string[] }[]} chunks the files of the bundle
 */
export function bundledLicenses(chunks) {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = [...new Set(modules.flatMap((id) => packageFolder(id) ?? []))].toSorted();
  if (folders.length === 0) return [];
  const title = "This bundle contains the following packages.\n";
  return [{ fileName: "LICENSES.txt", code: [title, ...folders.map(describe)].join("\n"), isEntry: false }];
}

/**
 * Returns the folder of the installed package that a module belongs to, such as `…/node_modules/@scope/name`.
 * @param {string} moduleId
 */
function packageFolder(moduleId) {
  const parts = moduleId.split(sep);
  const index = parts.lastIndexOf("node_modules");
  if (index < 0) return undefined;
  return parts.slice(0, index + (parts[index + 1]?.startsWith("@") ? 3 : 2)).join(sep);
}

/** @param {string} folder */
function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  if (files.length === 0) throw new Error(`${folder} has no license text, so it can't be bundled.`);
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${"-".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}
